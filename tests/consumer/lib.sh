# shellcheck shell=bash
# Sourced by the tests of this folder: each works in a folder of its own, removed at the end.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
work=$scratch/work
printed=$scratch/printed
mkdir "$work" && cd "$work" || exit 1
failures=0

problem() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*" >&2
  [ ! -f "$printed" ] || tail -n 60 "$printed" | sed 's/^/  | /' >&2
}

# expect STATUS COMMAND... : runs it, keeps what it printed, checks its exit status.
expect() {
  local wanted=$1 status=0
  shift
  "$@" >"$printed" 2>&1 </dev/null || status=$?
  [ "$status" -eq "$wanted" ] || problem "exit status $status, not $wanted: $*"
}

# says TEXT... : the last command printed each of these.
says() {
  local text
  for text in "$@"; do
    grep -qF -- "$text" "$printed" || problem "the output does not say: $text"
  done
}

# holds FILE TEXT... : the file has each of these.
holds() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || problem "$file does not hold: $text"
  done
}

finish() {
  [ "$failures" -eq 0 ] && echo "passed" && exit 0
  echo "$failures expectations failed" >&2
  exit 1
}
