# shellcheck shell=bash
# Sourced by the shell tests of tests/cli, tests/github and tests/consumer.
# Each test runs in its own folder, which is removed at the end, with its own cache and device locks: the tests
# run in parallel.
set -uo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
work=$scratch/work
printed=$scratch/printed
mkdir "$work" "$scratch/locks" && cd "$work" || exit 1
export HARNESS_CACHE_DIR=$scratch/cache HARNESS_LOCK_DIR=$scratch/locks
export HARNESS_TEST_FOLDER=$scratch  # marks every process that this test starts
export TESTS=$tests  # Python in a test imports from there
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=tester@example.org
export GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=tester@example.org
# A CI system that runs the tests is not the one that they are about.
unset CI JENKINS_URL TF_BUILD GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CHANGE_TARGET
failures=0

# python3 ARGUMENT... : the interpreter itself, because a start through pyenv's script takes a tenth of a second.
python3() {
  [ -n "${python:-}" ] || python=$(command python3 -c 'import sys; print(sys.executable)')
  "$python" "$@"
}

# killed_by_signals: a test's plugin dies of a signal, which a build with sanitizers would catch.
killed_by_signals() {
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0 TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0
}

problem() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*" >&2
  [ -f "$printed" ] && sed 's/^/  | /' "$printed" >&2
  return 0
}

# expect STATUS COMMAND... : runs it, keeps what it printed in $printed, checks its exit status. STATUS may name several, as
# "0 1" where real times of this CPU are compared: other programs run here, too, so a case may be slower than before.
expect() {
  local wanted=$1 status=0
  shift
  "$@" >"$printed" 2>&1 </dev/null || status=$?
  [[ " $wanted " == *" $status "* ]] || problem "exit status $status, not $wanted: $*"
}

# names TOKEN... : the last output names each: an option, a file, a case, a command or a figure. A token has no
# space, because no test checks wording that has an exit status or a field of JSON.
names() {
  local token
  for token in "$@"; do
    [[ $token != *[[:space:]]* ]] || problem "wording, not a name: $token"
    grep -qF -- "$token" "$printed" || problem "the output does not name: $token"
  done
}

# says TEXT... : the last command printed each text. Only for tests whose subject is the message itself;
# tests/tree counts these lines.
says() {
  local text
  for text in "$@"; do
    grep -qF -- "$text" "$printed" || problem "the output does not say: $text"
  done
}

silent_about() { ! grep -qF -- "$1" "$printed" || problem "the output says: $1"; }

# holds FILE CONDITION... : each Python condition is true of the JSON in FILE. `report` is the whole;
# `row(CASE, METRIC)` is an entry of `cases`, where parts of the names are enough.
holds() { python3 -S "$tests/holds.py" "$@" || problem "$1 does not hold what it should"; }

# same WHAT FOUND WANTED
same() { [ "$2" = "$3" ] || problem "$1: found <$2>, not <$3>"; }

# absent FILE...
absent() {
  local file
  for file in "$@"; do [ ! -e "$file" ] || problem "it wrote $file"; done
}

# eventually COMMAND... : repeats it until it succeeds. The number of tries is a bound, not a timing.
eventually() {
  local try
  for try in $(seq 1200); do
    "$@" && return 0
    sleep 0.05
  done
  problem "not true after $try tries: $*"
  return 1
}

finish() {
  [ "$failures" -eq 0 ] && echo "passed" && exit 0
  echo "$failures expectations failed" >&2
  exit 1
}
