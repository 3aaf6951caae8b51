#!/usr/bin/env bash
# The same set-up as bootstrap.sh, then every test. Ends with ctest's summary and its exit status.
#
#   ci/test.sh                       release, with the CUDA module where there is a toolkit
#   ci/test.sh --preset asan         or tsan, fuzz, dev, cpu-only
#   ci/test.sh -R 'stats:'           further arguments go to ctest
set -euo pipefail
# shellcheck source=ci/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

preset=release
if [ "${1:-}" = --preset ]; then
  preset=${2:?--preset needs a name: release, dev, asan, tsan, fuzz or cpu-only}
  shift 2
fi

tools+=("${test_tools[@]}")
install_packages "${run_packages[@]}" "${test_packages[@]}"
check_tools
: "${HARNESS_CUDA:=TOOLKIT}"
find_cuda
case $preset in
  release | dev) configure "$preset" -DHARNESS_TESTS=ON "${cuda_arguments[@]}" ;;
  *) configure "$preset" ;;
esac
build "$preset"

# Where addresses are spread more widely than ThreadSanitizer expects, it stops at the start.
around=()
if [ "$preset" = tsan ] && setarch "$(uname -m)" -R true 2>/dev/null; then
  around=(setarch "$(uname -m)" -R)
fi
exec "${around[@]}" ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error \
  --timeout 600 --parallel $(($(nproc) + 1)) --output-junit "$root/build/$preset/ctest.xml" "$@"
