#!/usr/bin/env bash
# Fifth step of the action, where a budget is given and the verdict is red: finds the commit of the worst regression. It
# never fails itself, because the verdict has. Its files in the report folder: bisection.json, bisection.txt, bisection.log.
#
# Reads HARNESS, REPORT, INPUT_SUITE, INPUT_STORE, INPUT_BISECT (the budget), INPUT_LOCK, and GitHub's
# GITHUB_STEP_SUMMARY.
set -uo pipefail

# The baseline's commit, and the worst result that no waiver accepts.
mapfile -t searched < <(python3 -I - "$REPORT/verdict.json" <<'PY'
import json, re, sys
report = json.load(open(sys.argv[1], encoding="utf-8"))
red = [one for one in report["cases"]
       if one["verdict"] == "regressed" and not one.get("waiver") and not one.get("informative")]
if not red:
    sys.exit()  # only results that inform
# A ratio to or from zero is null: nothing is worse.
slower = lambda one: float("inf") if not one["ratio"] else one["ratio"] if one.get("direction") != "higher" else 1 / one["ratio"]
worst = max(red, key=slower)
commit = report["baseline"]["revision"]["commit"]
if re.fullmatch("[0-9a-f]{40,64}", commit) and "\n" not in worst["case"] + worst["metric"]:
    print(commit, worst["case"], worst["metric"], sep="\n")
PY
)
if [ ${#searched[@]} -ne 3 ]; then
  echo "::notice title=harness::no commit to search from: no result that decides is slower, or the baseline is no commit of this repository"
  exit 0
fi

options=(--good "${searched[0]}" --case "${searched[1]}" --metric "${searched[2]}" --budget "$INPUT_BISECT"
  --report "json=$REPORT/bisection.json" --report "terminal=$REPORT/bisection.txt" --report "markdown=$REPORT/bisection.md")
[ -z "$INPUT_STORE" ] || options+=(--store "$INPUT_STORE")
if [ -n "$INPUT_LOCK" ]; then
  [ -e "$INPUT_LOCK" ] || (umask 022 && : >>"$INPUT_LOCK")
  exec 9<"$INPUT_LOCK" && flock 9
fi

# Builds print what they like; nothing of it is a workflow command.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
"$HARNESS" bisect "$INPUT_SUITE" "${options[@]}" >"$REPORT/bisection.log" 2>&1 </dev/null &
search=$!
trap 'kill -TERM $search 2>/dev/null' INT TERM
while :; do
  wait $search
  status=$?
  kill -0 $search 2>/dev/null || break
done
cat "$REPORT/bisection.log"
printf '\n::%s::\n' "$token"  # builds may leave a line open
if [ -s "$REPORT/bisection.md" ]; then
  cat "$REPORT/bisection.md" >>"$GITHUB_STEP_SUMMARY"
else
  echo "::warning title=harness::the commit was not found (exit status $status); bisection.log of the artifact says why"
fi
exit 0
