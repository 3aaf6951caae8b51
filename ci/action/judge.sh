#!/usr/bin/env bash
# Judges what another machine measured, by its records alone. Nothing is built, and no code of the change runs.
#
#   judge.sh MEASURED REPORT [OPTION OF harness compare]...
#
# Run it in a clone with the whole history, on another machine or under another account. MEASURED: the folder that was left by
# `harness run --keep-in MEASURED/records.db --report json=MEASURED/verdict.json`, with the exit status in MEASURED/status.
# REPORT: a new folder for the reports. The exit status is the verdict. It is 4 where the records hold no baseline.
#
# The measuring machine is believed in two things: that it could not measure, and that its store has this suite's history under
# another name or machine class. The latter becomes the fact `elsewhere` of REPORT/verdict.json.
#
# The work tree becomes that of the merge base, so that its waivers and its .harness.yaml decide, whatever the change says. With
# ACCEPT_PROPOSED=true it becomes the change's.
#
# Reads HARNESS (default: harness), COMMIT, which was measured, AGAINST, a commit of the branch that it is for, and TARGET, the
# name of that branch.
set -euo pipefail
# shellcheck source=ci/action/reports.sh
. "$(dirname "${BASH_SOURCE[0]}")/reports.sh"
measured=$1 report=$2
shift 2
harness=${HARNESS:-harness}
mkdir -p "$report"

# unjudged WHY: the machine's own account of a run without results.
unjudged() {
  local status=2
  echo "harness: $1" >&2
  rm -f "$report"/*
  [ ! -f "$measured/log.txt" ] || [ -L "$measured/log.txt" ] || tail -c 100000 "$measured/log.txt" >"$report/log.txt"
  echo "error: $1" >>"$report/log.txt"
  [ "$told" != 130 ] && [ "$told" != running ] || status=130
  exit "$status"
}
told=$(head -c 10 "$measured/status" 2>/dev/null) || told=
if [ ! -f "$measured/records.db" ] || [ -L "$measured/records.db" ]; then unjudged "no records were kept"; fi
[[ $told =~ ^[013-5]$ ]] || unjudged "the measuring ended with status ${told:-unknown}"

base=$(git merge-base "$AGAINST" "$COMMIT")
tree=$base
accept=()
[ "${ACCEPT_PROPOSED:-}" != true ] || tree=$COMMIT accept=(--accept-proposed)
GIT_LFS_SKIP_SMUDGE=1 git -c core.hooksPath=/dev/null -c advice.detachedHead=false checkout --quiet --force --detach "$tree"
# Files that an unpacked artifact may have left among the files that decide.
git clean -ffdxq -- .harness.yaml baselines ':(glob)**/waivers.yaml'
export CI=true GITHUB_BASE_REF=$TARGET  # so that `harness` knows this for a change

# The record of the commit, and of a pair that was measured together the other side.
sides=$("$harness" records list --store "$measured/records.db" --last 1000000 --format json | python3 -I -c '
import json, sys
commit, base = sys.argv[1:]
records = [one for one in json.load(sys.stdin)["records"] if one["state"] == "complete" and one["purpose"] != "calibration"]
mine = [one for one in records if one["commit"] == commit]
if len({one["suite"] for one in mine}) > 1:
    sys.exit("records of several suites: keep those of each suite apart")
if mine:
    newest = max(mine, key=lambda one: one["started"])
    others = [one["id"] for one in records if one["purpose"] == newest["purpose"] == "ab" and one["commit"] == base]
    print(newest["id"], *others[:1])
' "$COMMIT" "$base") || unjudged "the records cannot be read"
read -r current baseline <<<"$sides"
[ -n "$current" ] || unjudged "no record of $COMMIT was kept"

report_options "$harness" "$report"
status=0
"$harness" compare --store "$measured/records.db" --baseline "${baseline:-$AGAINST}" --current "$current" \
  "${accept[@]}" "${reports[@]}" "$@" >"$report/log.txt" 2>&1 || status=$?
# Whether this suite's history is elsewhere only the whole store tells, so the machine does. Nothing else of its words is taken.
if [ $status -eq 4 ] && [ -f "$report/verdict.json" ]; then
  fact=$(python3 -I -c '
import json, os, sys
def read(path):
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
        return json.loads(file.read(1 << 28))
mine = read(sys.argv[2])
if mine["baseline"].get("found", {}).get("code") == "none":
    theirs = read(sys.argv[1])["baseline"].get("found", {})
    if theirs.get("code") != "none":
        sys.exit(1)
    if theirs.get("elsewhere") == 1:
        mine["baseline"]["found"]["elsewhere"] = 1
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            json.dump(mine, file)
        print("elsewhere")
' "$measured/verdict.json" "$report/verdict.json" 2>/dev/null) ||
    unjudged "the records lack the baseline that the machine had: is its program an older one?"
  if [ "$fact" = elsewhere ]; then
    why="the measuring machine's store has the history of this suite under another name or machine class, so the baseline is lost"
    echo "harness: $why" >>"$report/log.txt"
    echo "::error title=harness::$why" >>"$report/annotations.txt"
    printf '\n**No baseline:** %s.\n' "$why" >>"$report/summary.md"
  fi
fi
cat "$report/log.txt"
exit "$status"
