#!/usr/bin/env bash
# The first job of gate.yml: which suites are measured, whether this commit may be, and whether its own settings count. Outputs:
# `target`, the branch that the commit is for, or on; `suites`, JSON with a file and a key of each. Then `call`, the end of
# these keys; `measure` and `proposed`, true or false.
#
# A label that names the reviewed commit tells: `measure` and its 40 digits lets a fork's commit run, `accept` and these digits
# lets the change's own settings count, too. It counts if who gave it last may write. A commit that is pushed later has another name.
#
# Reads TARGET, the branch or its ref, SUITE, patterns, one a line, and CALL, the inputs of the call. It reads HEAD, NUMBER and
# LABELS (JSON) of a pull request, and FORK, true where that is of another repository. Also GH_TOKEN, and GitHub's
# GITHUB_EVENT_NAME, GITHUB_REPOSITORY, GITHUB_OUTPUT. Its folder is that of the commit.
set -euo pipefail
# shellcheck source=ci/action/complain.sh
. "$(dirname "${BASH_SOURCE[0]}")/complain.sh"

# given WORD: whether somebody who may write gave the label.
given() {
  local label="$1 $HEAD" giver permission
  [ -n "$HEAD" ] && grep -qF "\"$label\"" <<<"$LABELS" || return 1
  giver=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$NUMBER/events" \
    --jq ".[] | select(.event == \"labeled\" and .label.name == \"$label\") | .actor.login" | tail -n 1) || giver=
  if [ -z "$giver" ]; then
    echo "::warning title=harness::the label \`$label\` does not count: the server did not tell who gave it; run the job again"
    return 1
  fi
  permission=$(gh api "repos/$GITHUB_REPOSITORY/collaborators/$giver/permission" --jq .permission) || permission=
  case $permission in
    admin | maintain | write) return 0 ;;
    "")
      echo "::warning title=harness::the label \`$label\` does not count: the server did not tell what $giver may do; run the job again"
      return 1
      ;;
  esac
  echo "::warning title=harness::the label \`$label\` does not count: $giver, who gave it, may not write here"
  return 1
}

echo "target=${TARGET#refs/heads/}" >>"$GITHUB_OUTPUT"
proposed=false measure=true
case $GITHUB_EVENT_NAME in
  push | schedule) proposed=true ;;  # it was reviewed when it was merged
  pull_request)
    if given accept; then
      proposed=true
    elif [ "$FORK" = true ] && ! given measure; then
      measure=false
    fi
    ;;
esac

suites=()
while IFS= read -r pattern; do
  [ -z "$pattern" ] || mapfile -t -O ${#suites[@]} suites < <(compgen -G "$pattern" | sort)
done <<<"${SUITE:?}"
[ ${#suites[@]} -gt 0 ] || complain "no file of this commit is \`$SUITE\`" "correct the input suite; a path begins at the top of the repository"
call=$(sha256sum <<<"${CALL:?}" | cut -c1-8)  # another call of this workflow has other artifacts
list='' known=''
for suite in "${suites[@]}"; do
  [[ $suite =~ ^[A-Za-z0-9._+@/][A-Za-z0-9._+@/-]*$ ]] || complain "the name of the suite $suite cannot be used" "letters, digits and . _ + @ / - can"
  key=${suite//[^A-Za-z0-9._-]/-}-$call
  [[ $known != *" $key "* ]] || complain "$suite and another suite have one name in artifacts" "rename one"
  known+=" $key "
  list+=${list:+,}'{"file":"'$suite'","key":"'$key'"}'
done
printf '%s\n' "suites=[$list]" "proposed=$proposed" "measure=$measure" "call=$call" >>"$GITHUB_OUTPUT"
