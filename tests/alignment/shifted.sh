#!/usr/bin/env bash
# What `ab` says of kernels of the suites whose code only lies elsewhere. On a GPU of compute capability 9.0:
#
#   tests/alignment/shifted.sh BUILD OUT [N...]
#
# BUILD has bin/harness, bin/shift_file and lib/. For each N (0 to 6; 5 unless named) the kernels of that build behind N
# NOPs are compared with those of BUILD, then BUILD with them. OUT gets the reports. Prints a table, and PASS if no row
# is red, because nothing is slower but by its place, and some row moved. At most five minutes an N.
set -euo pipefail
build=$(realpath "${1:?BUILD}")
mkdir -p "${2:?OUT}"
out=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- 5
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >suite.yaml <<'YAML'
version: 2
name: shifted
defaults:
  sampling: {processes: 5, placements: 2, samples: 20}
cases:
  - {workload: attention, variants: [mma_sync], axes: {dtype: f16, b: 2, h: 16, s: 2048, d: 128, causal: false}, gate: {margin: 0.2%}}
  - {workload: attention, variants: [wgmma], axes: {dtype: f16, b: 2, h: 16, s: 2048, d: 128, causal: false}, gate: {margin: 0.15%}}
  - {workload: attention, variants: [tiles], axes: {dtype: f16, b: 8, h: 32, s: 512, d: 64, causal: false}, gate: {margin: 0.1%}}
  - {workload: matmul, variants: [register_tiles], axes: {dtype: f32, m: 2048, n: 2048, k: 2048}, gate: {margin: 0.1%}}
YAML
kernels=(
  'void attention::mma_kernel<attention::MmaTiling<128, 1, 8, 1, 64>, ptx::F16>(attention::Arguments)'
  'void attention::wgmma_queue_kernel<attention::WgmmaTiling<128, 2, 2, 2>, ptx::F16>(attention::QueuedArguments, CUtensorMap_st, CUtensorMap_st, CUtensorMap_st, CUtensorMap_st)'
  'void attention::tiles_kernel<ptx::F16, 64>(attention::Arguments)'
  'void matmul::register_tiles_kernel<matmul::RegisterTiling<128, 128, 8, 8, 8, 16, 4, 2>, (matmul::Copies)0>(gemm::Problem<ptx::F32>)'
)
mkdir -p compiled/bin compiled/lib
cp "$build"/bin/harness compiled/bin/
cp "$build"/lib/libharness_*.so compiled/lib/
judge() { # judge NAME BEFORE AFTER
  local status=0
  timeout 150 "$work/compiled/bin/harness" ab suite.yaml --baseline-build "$2" --current-build "$3" --device cuda \
    --store "$1.db" --color never --report "json=$out/$1.json" >"$out/$1.txt" 2>&1 || status=$?
  echo "$1: exit $status"
}
reports=()
for n in "$@"; do
  rm -rf moved
  cp -r compiled moved
  "$build/bin/shift_file" compiled/lib/libharness_cuda.so "$n" "${kernels[@]}" >moved/lib/libharness_cuda.so
  judge "to_$n" compiled moved
  judge "from_$n" moved compiled
  reports+=("to_$n=$out/to_$n.json" "from_$n=$out/from_$n.json")
done
python3 "$here/verdicts.py" --expect=moved "${reports[@]}"
