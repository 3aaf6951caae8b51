#!/usr/bin/env bash
# First step of the action: what would make the verdict worthless is said before anything is measured.
# Its outputs: `against`, what to judge by; `report`, the emptied report folder; `change`, whether the code is not merged;
# and `target`, the branch that such code is for.
#
# Reads INPUT_AGAINST, INPUT_REPORT, BASE_SHA of a pull request's event, QUEUE_REF of a merge queue's,
# DEFAULT_BRANCH, and GitHub's GITHUB_EVENT_NAME, GITHUB_BASE_REF, GITHUB_REF, GITHUB_OUTPUT.
set -euo pipefail

# shellcheck source=ci/action/complain.sh
. "$(dirname "${BASH_SOURCE[0]}")/complain.sh"

case $INPUT_REPORT in
  "" | / | . | .. | */.. | ../* | */../* | *,* | *$'\n'*)
    complain "the report folder \`$INPUT_REPORT\` cannot be used" "name a folder of its own, without a comma, e.g. harness-report" ;;
esac
rm -rf -- "$INPUT_REPORT"
mkdir -p -- "$INPUT_REPORT"
echo "report=$INPUT_REPORT" >>"$GITHUB_OUTPUT"

command -v python3 >/dev/null || complain "python3 is missing on this runner" "install it: apt-get install python3"
[ "$GITHUB_EVENT_NAME" != pull_request_target ] ||
  complain "a pull_request_target job has write rights and must not run the code of a pull request" \
    "measure under pull_request, and comment with perf-comment.yml"

change=false target=${GITHUB_BASE_REF:-}
case $GITHUB_EVENT_NAME in
  pull_request) change=true ;;
  # Its base may be the group before it in the queue, which is not on the target yet.
  merge_group) change=true target=${QUEUE_REF#refs/heads/} BASE_SHA='' ;;
  workflow_dispatch)  # perhaps of a fork's commit
    target=${DEFAULT_BRANCH:-${GITHUB_REF#refs/heads/}}
    git merge-base --is-ancestor HEAD "refs/remotes/origin/$target" 2>/dev/null || change=true
    ;;
esac
echo "change=$change" >>"$GITHUB_OUTPUT"
[ $change = false ] || echo "target=$target" >>"$GITHUB_OUTPUT"

against=$INPUT_AGAINST
if [ -z "$against" ]; then
  if [ -n "$BASE_SHA" ]; then
    against=$BASE_SHA  # the harness takes the merge base with it; no name, because a change may make names
  elif [ $change = true ]; then
    against=refs/remotes/origin/$target
  else
    against=HEAD  # and here what was measured before HEAD
  fi
fi
if [ ! -f "$against" ]; then
  shallow=$(git rev-parse --is-shallow-repository 2>&1) || complain "git does not work here: $shallow" \
    "check out with actions/checkout; in a container, git config --global --add safe.directory \"\$GITHUB_WORKSPACE\""
  [ "$shallow" = false ] || complain "the checkout is shallow, so the baseline's commit cannot be found" \
    "give actions/checkout fetch-depth: 0, or run git fetch --unshallow"
fi
if [ -z "$INPUT_AGAINST" ] && [ -n "$BASE_SHA" ]; then
  git merge-base --is-ancestor "$against" "refs/remotes/origin/$target" 2>/dev/null ||
    complain "the base of the pull request, $against, is not on origin/$target" \
      "its history was rewritten, or the checkout lacks it: fetch all branches, and start the job by a new push"
fi
case $against in
  *$'\n'*) complain "the input \`against\` has several lines" "name one revision or record file" ;;
esac
echo "against=$against" >>"$GITHUB_OUTPUT"
