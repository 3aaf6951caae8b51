#!/usr/bin/env bash
# From a fresh checkout to a running harness: installs what is missing, configures for the GPU that is
# present, builds the program and its modules, and runs `harness` with the arguments given.
#
#   ci/bootstrap.sh run suites/fusion.yaml
#   ci/bootstrap.sh                            only gets ready
#
# setup.sh lists the environment variables that change what it does.
set -euo pipefail
# shellcheck source=ci/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages "${run_packages[@]}"
check_tools
find_cuda
without_tests=()
[ -e "$root/build/release/CMakeCache.txt" ] || without_tests=(-DHARNESS_TESTS=OFF)
configure release "${cuda_arguments[@]}" "${without_tests[@]}"
build release programs

harness=$root/build/release/bin/harness
if [ $# -eq 0 ]; then
  say "ready: $harness"
  exit 0
fi
exec "$harness" "$@"
