#!/usr/bin/env bash
# How cases are sampled, as the suite asks: what the record says of it, and what a person is told.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
cat >suite.yaml <<'YAML'
version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 2, cache: hot, preheat: {min: 100ms, max: 200ms}, timeout: 5s}
cases:
  - workload: twice
    variants: [right]
    axes: {n: [64, 128, 256]}
    metrics: [time, cycles, peak_memory]
    gate: {metrics: {peak_memory: {margin: 0%}}}
    overrides:
      - {match: {n: 64}, sampling: {samples: 12}}
      - {match: {n: 128}, sampling: {samples: {min: 20, max: 300, width: 0.5%}}}
      - {match: {n: 256}, sampling: {samples: 10}, gate: {throttled: 10%}}
YAML

commit "three ways to sample"
expect 0 "$HARNESS" list suite.yaml
names 3,220

# script FILE GHZ US BYTES CONDITIONS : the clock, the time of a call, what the variant takes, and the
# conditions of n=256.
script() {
  cat >"$1" <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "clock_ghz": $2,
 "cases": [{"match": "*/n=256", "us": $3, "process_sd": 0.0005, "takes_bytes": $4, "conditions": [$5]},
           {"match": "*", "us": $3, "process_sd": 0.0005, "sample_sd": 0.01, "takes_bytes": $4}]}
JSON
}

# of FILE : "n stops samples cycles/us peak" of each case's first process.
of() {
  python3 - "$1" <<'PY'
import json, sys
for case in sorted(json.load(open(sys.argv[1]))["cases"], key=lambda case: case["params"]["n"]):
    metrics = {m["metric"]: m["processes"][0]["placements"] for m in case["metrics"]}
    time, cycles, peak = metrics["wall_time"], metrics["cycles"], metrics["peak_memory"]
    print(case["params"]["n"], *sorted({p["stopped"] for p in time}),
          "many" if all(20 < len(p["samples"]) < 300 for p in time) else len(time[0]["samples"]),
          round(cycles[0]["samples"][0] / time[0]["samples"][0]), peak[0]["samples"][0])
PY
}
# compared STATUS FILE : measures into the file, and compares it with main.json.
compared() {
  expect 0 run --output "$2"
  expect "$1" "$HARNESS" compare --baseline main.json --current "$2"
}

script speed.json 2 100 1000 '{"throttled": [], "power_w": 300}'
commit "fast"
expect 0 run --output main.json
same "what the record holds" "$(of main.json)" "64 count 12 2000 1512
128 width many 2000 2024
256 count 10 2000 3048"
silent_about throttled
silent_about contaminated

# A lower clock makes the same work take longer: the times regressed, the cycles did not.
script speed.json 1.8 111.111 1000 '{"throttled": [], "power_w": 300}'
compared 1 slow.json
names 2.000 1.800
expect 1 "$HARNESS" compare --baseline main.json --current slow.json --report json=compared.json
same "verdicts by metric" "$(python3 - <<'PY'
import json
rows = json.load(open("compared.json"))["cases"]
print(sorted({(row["metric"], row["verdict"]) for row in rows}))
PY
)" "[('cycles', 'unchanged'), ('peak_memory', 'unchanged'), ('wall_time', 'regressed')]"

# More memory regresses by a gate of its own, whatever the time does.
script speed.json 2 100 1001 '{"throttled": [], "power_w": 300}'
compared 1 more.json
names peak_memory

# Throttled in one placement of ten is what this gate bears, in two it is not; others on the device are named.
script speed.json 2 100 1000 '{"process": 2, "placement": 1, "throttled": ["thermal"]}, {"other_processes": 1}'
compared 3 shared.json
script speed.json 2 100 1000 '{"process": 2, "throttled": ["thermal"]}, {"throttled": []}'
compared 3 hot.json
names thermal

# A clock that never settles is told, and so is a suite that asks for nonsense.
script speed.json "[$(for _ in $(seq 40); do printf '1.2, 1.9, '; done)1.2]" 100 1000 '{"throttled": []}'
expect 0 run
names 0.5 0.2
sed -i 's/min: 20, max: 300/min: 400, max: 300/' suite.yaml
expect 2 "$HARNESS" list suite.yaml
names suite.yaml:14: 300 400
finish
