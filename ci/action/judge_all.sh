#!/usr/bin/env bash
# The judging job of gate.yml: judge.sh for each suite, and report.py for what people see. Ends with the first status that fails,
# and with 2 where a planned suite could not be judged.
#
# Reads SUITES, JSON of plan.sh, and SUITE, its patterns. MEASURED has the folder harness-records-KEY of each suite, and REPORTS
# takes a folder a suite. HARNESS, COMMIT, AGAINST, TARGET and ACCEPT_PROPOSED are those of judge.sh. Also INPUT_ALLOW and
# INPUT_FAIL_ON.
set -uo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
options=()
[ -z "$INPUT_ALLOW" ] || options+=(--allow "$INPUT_ALLOW")
[ -z "$INPUT_FAIL_ON" ] || options+=(--fail-on "$INPUT_FAIL_ON")
# Tells of changes to the text that decides.
base=$(git merge-base "$AGAINST" "$COMMIT") || exit 2
texts=(':(glob)**/waivers.yaml' .harness.yaml baselines)
mapfile -t -O ${#texts[@]} texts < <(sed -n '/./s/^/:(glob)/p' <<<"$SUITE")
# tell KIND MESSAGE FILTER: names the files with this kind of change.
tell() {
  local files
  files=$(git diff --name-only --no-renames --diff-filter="$3" "$base" "$COMMIT" -- "${texts[@]}" | head -n 20)
  [ -z "$files" ] || printf '::%s title=harness::%s\n' "$1" "$2: ${files//$'\n'/, }"
}
if [ "$ACCEPT_PROPOSED" != true ]; then
  tell notice "judged by the text of ${base:0:10}, and this change edits some; a maintainer lets it count by the label \`accept $COMMIT\`" AM
fi
tell warning "this change deletes" D
planned=$(python3 -I -c '
import json, sys
suites = json.loads(sys.argv[1])
if not suites:
    sys.exit("no suite is planned")
for one in suites:
    print(one["file"], one["key"])' "$SUITES") || exit 2
mapfile -t planned <<<"$planned"
# From here on no file of the change is in the work tree, unless it was accepted.
GIT_LFS_SKIP_SMUDGE=1 git -c core.hooksPath=/dev/null checkout --quiet --force --detach "$base" || exit 2
worst=0
for one in "${planned[@]}"; do
  read -r file key <<<"$one"
  [ -n "$key" ] && mkdir -p "$REPORTS/$key" || exit 2
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "$file"
  echo "::stop-commands::$token"
  status=0
  bash "$here/judge.sh" "$MEASURED/harness-records-$key" "$REPORTS/$key" "${options[@]}" </dev/null || status=$?
  echo "::$token::"
  echo "$status" >"$REPORTS/$key/status"
  printf '## %s\n\n' "$file" >>"$GITHUB_STEP_SUMMARY"
  outputs=$REPORTS/$key/outputs
  REPORT=$REPORTS/$key CHANGE=true INPUT_AGAINST='' INPUT_ACCEPT_PROPOSED=$ACCEPT_PROPOSED GITHUB_OUTPUT=$outputs \
    python3 -I "$here/report.py" || exit 2
  ended=$(sed -n 's/^status=//p' "$outputs")
  [[ $ended =~ ^[0-9]+$ ]] || exit 2  # a suite that was not judged
  [ "$worst" -ne 0 ] || worst=$ended
done
exit "$worst"
