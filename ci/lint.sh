#!/usr/bin/env bash
# Format and scripts: clang-format 14 on every C++ and CUDA file, shellcheck on every script.
#
#   ci/lint.sh          says what is wrong; exit status 1 if anything is
#   ci/lint.sh --fix    formats in place
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "lint: clang-format 14 is needed (package clang-format-14)" >&2
  exit 2
}
case $("$format" --version) in
  *"version 14."*) ;;
  *)
    echo "lint: $format is not version 14, and versions format differently (package clang-format-14)" >&2
    exit 2
    ;;
esac

how=(--dry-run --Werror)
if [ "${1:-}" = --fix ]; then
  how=(-i)
fi
status=0
git ls-files -z '*.h' '*.cpp' '*.cu' '*.cuh' | xargs -0 -r "$format" "${how[@]}" || status=1
git ls-files -z '*.sh' .ci/run | xargs -0 -r shellcheck -x || status=1
exit $status
