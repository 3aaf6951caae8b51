#!/usr/bin/env bash
# The parts that ci/gpu.sh needs on a machine that builds nothing: the programs, the HTML page in them, every third-party
# library, and the modules of a second build whose GELU probe does 2 % more work. Checked: nothing else is loaded
# but the C and C++ runtimes and NVIDIA's libraries, the program starts, and the whole has at most 64 MiB.
#
#   ci/bundle.sh        makes build/portable/bundle
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
cmake --workflow --preset portable-slower

bundle=build/portable/bundle
mkdir -p $bundle/slower/lib
cp build/portable-slower/lib/libharness_kernels.so build/portable-slower/lib/libharness_cuda.so $bundle/slower/lib/
for module in libharness_kernels.so libharness_cuda.so; do
  if cmp -s $bundle/lib/$module $bundle/slower/lib/$module; then
    echo "bundle: $module of the slower build is that of the other" >&2
    exit 1
  fi
done
bytes=$(find $bundle -type f -printf '%s\n' | awk '{sum += $1} END {print sum}')
printf '%s: %d files, %.1f MiB of at most 64\n' "$bundle" "$(find $bundle -type f | wc -l)" \
  "$(awk -v bytes="$bytes" 'BEGIN {print bytes / 1048576}')"
[ "$bytes" -le 67108864 ]
