# shellcheck shell=bash disable=SC2034  # the tests use what is set here
# Sourced by the tests of this folder.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"

# contains FILE TEXT... : the file has each text.
contains() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || problem "$file does not contain: $text"
  done
}
