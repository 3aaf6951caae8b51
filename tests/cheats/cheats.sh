#!/usr/bin/env bash
# Measures kernels that cheat, as `harness run` measures any, and prints what caught each: Markdown on standard output.
#
#   tests/cheats/cheats.sh FOLDER DEVICE OUTPUT     FOLDER has bin/harness, and lib/ with the modules of tests/cheats;
#                                                   DEVICE: cpu or cuda; OUTPUT: a folder for records
#
# Exit status: 0 each cheat ended incorrect or failed and the honest kernel was measured; 1 otherwise; 2 it could not
# start.
set -euo pipefail
if [ $# -ne 3 ]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "$1" && pwd)
device=$2
alone=
mkdir -p "$3"
output=$(cd "$3" && pwd)
case $device in
  cpu)
    module=libcheats_plugin.so
    cases='- {workload: line, axes: {n: 16384}, variants: [honest, only_on_poison, first_and_each_seventh,
     first_of_placement, in_warm_up, each_second, first_and_last, after_a_pause, in_bind, by_address, earlier_placement,
     stale_inputs, later_thread, by_some_inputs, by_all_inputs, unless_inputs_change, nothing, part, constant,
     not_a_number, zeroed_inputs, copied_inputs, closes_descriptors, silences_descriptors, leaves_in_a_sample,
     forges_a_result, changes_the_environment]}
  - {workload: below, axes: {n: 16384}, variants: [unwritten_integers]}'
    # They change the clock of their process, so that an honest kernel after them took no time.
    alone='- {workload: line, axes: {n: 16384}, variants: [slows_the_clock, slows_the_clock_between_pauses]}'
    ;;
  cuda)
    module=libcuda_cheats_plugin.so
    cases='- {workload: cuda_line, axes: {n: 1048576}, variants: [honest, only_on_poison, each_seventh, after_a_pause,
     in_bind, earlier_placement, empty_graph, another_stream, unless_seen, unless_first_seen, nothing, part,
     zeroed_inputs, records_events]}'
    # They change the times of all kernels of their process.
    alone='- {workload: cuda_line, axes: {n: 1048576}, variants: [patched_timer, patched_timer_between_pauses]}'
    ;;
  *) echo "cheats: $device: cpu or cuda" >&2 && exit 2 ;;
esac
if [ ! -f "$folder/lib/$module" ]; then
  echo "cheats: no $folder/lib/$module" >&2
  exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# measure NAME CASES: one run, into $output/NAME.record.json. Cheats are cases that ended badly, so the run is no
# success; without a record it did not start.
records=()
measure() {
  local status=0
  cat >"$scratch/$1.yaml" <<YAML
version: 1
name: cheats
modules: ["$folder/lib/$module"]
defaults:
  sampling: {processes: 10, placements: 10, samples: 40, warmup: 3, cache: hot, timing: events, preheat: 0ms, timeout: 60s}
cases:
  $2
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
measure cheats "$cases"
[ -z "$alone" ] || measure alone "$alone"
python3 "$here/outcomes.py" --cheats "${records[@]}"
