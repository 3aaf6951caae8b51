#!/usr/bin/env bash
# Measures kernels that cheat, as `harness run` measures any, and prints what caught each: Markdown on standard output.
#
#   tests/cheats/cheats.sh FOLDER DEVICE OUTPUT     FOLDER has bin/harness, and lib/ with the modules of tests/cheats;
#                                                   DEVICE: cpu or cuda; OUTPUT: a folder for records
#
# Exit status: 0 each cheat ended incorrect or failed and each honest kernel was measured; 1 otherwise; 2 it could not
# start.
set -euo pipefail
if [ $# -ne 3 ]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "$1" && pwd)
device=$2
mkdir -p "$3"
output=$(cd "$3" && pwd)
case $device in
  cpu) module=libcheats_plugin.so word=CPU line=line n=16384 ;;
  cuda) module=libcuda_cheats_plugin.so word=GPU line=cuda_line n=1048576 ;;
  *) echo "cheats: $device: cpu or cuda" >&2 && exit 2 ;;
esac
# They change the times of all kernels of their process.
patching='^(slows_the_clock|patched_timer)'
# variants_of TIMING [-v] EXPRESSION: those of the device in corpus.txt, whose names match or do not.
variants_of() {
  local timing=$1
  shift
  sed -n 's/^| `\([^`]*\)` | \([A-Z]*\) | [a-z]* | \([a-z_]*\) | \([a-z ]*\) |.*/\1 \2 \3 \4/p' "$here/corpus.txt" |
    grep -E " $word $line $timing\$" | cut -d ' ' -f 1 | grep -E "$@" | paste -sd ,
}
if [ ! -f "$folder/lib/$module" ]; then
  echo "cheats: no $folder/lib/$module" >&2
  exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" /dev/shm/harness-cheat-*' EXIT
# measure NAME TIMING CACHE VARIANTS: one run, into $output/NAME.record.json. Cheats are cases that ended badly, so the
# run is no success; without a record it did not start.
records=()
measure() {
  local status=0
  cat >"$scratch/$1.yaml" <<YAML
version: 2
name: cheats
modules: ["$folder/lib/$module"]
defaults:
  sampling: {processes: 10, placements: 10, samples: 40, warmup: 3, cache: $3, timing: $2, preheat: 0ms, timeout: 60s}
cases:
  - {workload: $line, axes: {n: $n}, variants: [$4]}
YAML
  "$folder/bin/harness" run "$scratch/$1.yaml" --device "$device" --quiet --store "$scratch/$1.db" \
    --output "$output/$1.record.json" >"$scratch/log" 2>&1 || status=$?
  if [ ! -f "$output/$1.record.json" ]; then
    cat "$scratch/log" >&2
    echo "cheats: harness run ended with status $status" >&2
    exit 2
  fi
  records+=("$output/$1.record.json")
}
measure cheats events hot "$(variants_of events -v "$patching")"
measure alone events hot "$(variants_of events "$patching")"
measure hot_batches batch hot "$(variants_of 'hot batches' .)"
python3 "$here/outcomes.py" --cheats "${records[@]}"
