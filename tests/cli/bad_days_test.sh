#!/usr/bin/env bash
# Bad days of a GPU, scripted: each has one clear outcome, and the cases that it does not concern are measured.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right && speeds 100
sed -i 's/"us": 100,/&"conditions": [{"sm_clock_mhz": 1980}],/' speed.json && commit "a good day"
expect 0 run

# day STATUS MEMBERS [DEVICE_MEMBERS]: `right` has these members on this day, the device these; both are compared with the
# good day.
day() {
  local usual='"us": 100, "process_sd": 0.001, "sample_sd": 0.01'
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", ${3:-}
 "cases": [{"match": "*/right/*", $usual $2}, {"match": "*", $usual}]}
JSON
  expect "$1" "$HARNESS" run suite.yaml --device scripted:speed.json --against HEAD --report json=day.json
}
other_is_unchanged='row("also_right")["verdict"] == "unchanged"'

# An Xid in a later process: the case fails and names it, a fresh process measures the others.
day 5 ', "error": {"process": 2, "placement": 1, "sample": 3, "message": "Xid-79: fell off the bus"}'
holds day.json 'row("/right")["verdict"] == "failed"' "$other_is_unchanged"
names Xid-79
# A sticky CUDA error of the first kernel that is timed: no later call of that process works.
day 5 ', "error": {"process": 1, "placement": 0, "sample": 0, "message": "cudaErrorIllegalAddress"}'
holds day.json 'row("/right")["verdict"] == "failed"' "$other_is_unchanged"
names cudaErrorIllegalAddress
# An ECC error in the first call.
day 5 ', "error": {"process": 1, "placement": -1, "message": "uncorrectable-ECC error"}'
holds day.json 'row("/right")["verdict"] == "failed"' "$other_is_unchanged"
names uncorrectable-ECC

# Somebody else sets a lower clock while the run goes on: red, and both clocks are named.
day 1 ', "process_us": [165], "conditions": [{"process": 1, "sm_clock_mhz": 1980},
  {"sm_clock_mhz": 1200, "throttled": ["clock_setting"]}]'
holds day.json 'row("/right")["verdict"] == "regressed"' "$other_is_unchanged" \
  'row("/right")["diagnostics"] == [{"code": "driver_clock", "baseline": 1980, "current": 1356, "moved": 1}]'
# ... or before it: another machine to a comparison.
day 4 '' '"fields": {"clock_lock": {"value": "1200 MHz", "class": "block"}},'
holds day.json 'report["verdict"] == "not_comparable"'

# Another process on the GPU.
day 3 ', "conditions": [{"other_processes": 1}]'
holds day.json 'row("/right")["verdict"] == "inconclusive"' "$other_is_unchanged" \
  'any(one["code"] == "shared_device" for one in row("/right")["diagnostics"])'

# NVML goes in mid-run: the conditions are unknown from there on, which spoils nothing.
day 0 ', "conditions": [{"process": 1, "sm_clock_mhz": 1980, "other_processes": 0}]'
holds day.json 'row("/right")["verdict"] == "unchanged"' "$other_is_unchanged"
# ... or is not there at all.
HARNESS_NVML=/none/libnvidia-ml.so expect 0 "$HARNESS" list --devices
names cpu

# CUPTI is taken by a profiler: the counters are missing, for that reason, and the times are there.
day 0 ', "counters": [{"name": "dram__bytes.sum", "missing": "CUPTI is taken by a profiler"}]'
holds day.json 'row("/right")["verdict"] == "unchanged"'

# The GPU is lost in mid-run: no later process opens it. Measured cases are kept, the rest fails, nothing waits.
suite slow right && sed -i 's/processes: 5/processes: 60/' suite.yaml && speeds 100 && commit "long"
"$HARNESS" run suite.yaml --device scripted:speed.json --store lost.db --output lost.json >"$printed" 2>&1 &
pid=$!
eventually has_results lost.db 3
mv speed.json gone.json
status=0
wait "$pid" || status=$?
same "the exit status" "$status" 5
holds lost.json 'all(case["outcome"] == "failed" for case in report["cases"])' \
  'sum(len(case["results"]) for case in report["cases"]) >= 3'
names speed.json
finish
