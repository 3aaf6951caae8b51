#!/usr/bin/env bash
# Do `pmevent`s at the start of a kernel move it to the places that shifts show? Where there is nvcc, and then on a GPU
# of compute capability 9.0:
#
#   tests/alignment/by_hand.sh make BUILD FOLDER
#   tests/alignment/by_hand.sh time BUILD FOLDER
#
# BUILD has bin/loops and bin/shift_code. The first command fills FOLDER with cubins. The second one prints the median
# time of a loop with n `pmevent`s, and that of its copy shifted by n - 1, which has as many instructions before it.
set -euo pipefail
build=$(realpath "${2:?BUILD}") folder=${3:?FOLDER}
here=$(dirname "$(realpath "$0")")
kernel=loop_64k

if [ "$1" = make ]; then
  mkdir -p "$folder"
  moved=
  for n in 0 1 2 3 4 5 6 7 8; do
    nvcc -std=c++20 -O3 -arch=sm_90a -cubin -DMOVED="$moved" -o "$folder/by_hand_$n.cubin" "$here/loops.cu"
    moved+='asm volatile("pmevent 0;");'
  done
  for n in 1 2 3 4 5 6 7 8; do
    "$build/bin/shift_code" "$folder/by_hand_0.cubin" $kernel $((n - 1)) >"$folder/shifted_$n.cubin"
  done
  exit
fi

# All in turns, because clocks drift.
: >"$folder/times"
for _ in $(seq 15); do
  for cubin in "$folder"/*.cubin; do
    echo "$(basename "$cubin" .cubin) $("$build/bin/loops" "$cubin" $kernel)" >>"$folder/times"
  done
done
python3 - "$folder/times" <<'PY'
import collections, statistics, sys
times = collections.defaultdict(list)
for line in open(sys.argv[1]):
    name, _, us, _ = line.split()
    times[name].append(float(us))
median = {name: statistics.median(all) for name, all in times.items()}
print(f"as compiled: {median['by_hand_0']:.2f} us")
print(f"{'n':>2} {'by hand, us':>12} {'shifted, us':>12}")
for n in range(1, 9):
    print(f"{n:2} {median[f'by_hand_{n}']:12.2f} {median[f'shifted_{n}']:12.2f}")
PY
