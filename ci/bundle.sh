#!/usr/bin/env bash
# The parts that ci/gpu.sh needs on a machine that builds nothing: the programs, the HTML page in them, every third-party
# library, and the modules of a second build whose GELU probe does 2 % more work. Checked: nothing else is loaded
# but the C and C++ runtimes and NVIDIA's libraries, the program starts, and the whole has at most 64 MiB.
#
#   ci/bundle.sh        makes build/portable/bundle
#
#   HARNESS_BUNDLE_ONE="1 0.5 0.3"   also the builds that tests/gate/gate.sh judges as `one-1` and so on: one case of each
#                                    family that is slower by this percentage, and slower-0, their baseline;
#                                    they count for nothing towards the 64 MiB
#
# Needs the packages that ci/test.sh installs, and a CUDA toolkit 13.0 or newer (no GPU).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1-} in
  "") ;;
  -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "ci/${BASH_SOURCE[0]##*/}"; exit 0 ;;
  *) echo "usage: ci/bundle.sh (it takes no arguments)" >&2; exit 2 ;;
esac

export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
cmake --workflow --preset portable

bundle=build/portable/bundle
# slower_build <folder> <HARNESS_SLOWER>
slower_build() {
  cmake --preset portable-slower -DHARNESS_SLOWER="$2"
  cmake --build --preset portable-slower
  mkdir -p "$bundle/$1/lib"
  cp build/portable-slower/lib/libharness_kernels.so build/portable-slower/lib/libharness_cuda.so "$bundle/$1/lib/"
}
read -ra percentages <<<"${HARNESS_BUNDLE_ONE:-}"
if [ ${#percentages[@]} -gt 0 ]; then
  slower_build slower-0 0.001
fi
for percent in "${percentages[@]}"; do
  slower_build "slower-$percent" "$percent"
done
slower_build slower 2
for module in libharness_kernels.so libharness_cuda.so; do
  if cmp -s $bundle/lib/$module $bundle/slower/lib/$module; then
    echo "bundle: $module of the slower build is that of the other" >&2
    exit 1
  fi
done
bytes=$(find $bundle -type f -not -path '*/slower-*' -printf '%s\n' | awk '{sum += $1} END {print sum}')
printf '%s: %d files, %.1f MiB of at most 64\n' "$bundle" "$(find $bundle -type f -not -path '*/slower-*' | wc -l)" \
  "$(awk -v bytes="$bytes" 'BEGIN {print bytes / 1048576}')"
[ "$bytes" -le 67108864 ]
