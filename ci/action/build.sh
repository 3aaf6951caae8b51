#!/usr/bin/env bash
# Second step of the action: the program, built where none is given. Puts `harness`, its path, among the
# step's outputs.
#
# Reads INPUT_HARNESS, and GitHub's GITHUB_OUTPUT.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

harness=$INPUT_HARNESS
if [ -z "$harness" ]; then
  "$root/ci/bootstrap.sh"
  harness=$root/build/release/bin/harness
fi
if ! version=$("$harness" --version 2>&1); then
  printf '::error title=harness::the program that the input harness names does not start%%0A'
  printf 'advice: give the path of a built harness, or leave the input out to build one\n'
  printf '%s\n' "${version//::/: :}" | tail -n 5
  exit 2
fi
echo "harness=$harness" >>"$GITHUB_OUTPUT"
