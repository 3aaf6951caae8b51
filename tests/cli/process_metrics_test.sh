#!/usr/bin/env bash
# Metrics with one value a process: what a record holds of them, what a gate of theirs decides, and what is told
# where one side lacks them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
cat >suite.yaml <<'YAML'
version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}
  gate: {metrics: {peak_memory: {margin: 1%}, kernel_time: {margin: 1%}, first_call: {informative: true}}}
cases:
  - workload: twice
    variants: [right]
    axes: {n: [64]}
    metrics: [setup_time]
YAML

# script FIRST_CALL SETUP KERNEL BYTES : times in us.
script() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
 "cases": [{"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01, "first_call_us": $1, "setup_us": $2,
            "kernels": [{"name": "twice", "us": $3, "launches": 2}], "takes_bytes": $4}]}
JSON
}
script 5000 300 40 100000
printf '#!/bin/sh\ncp "%s" plugin.so\n' "$PLUGIN" >build.sh && chmod +x build.sh
commit "fast" && git tag fast
expect 0 run --output main.json

# what FILE : each metric's values.
what() {
  python3 - "$1" <<'PY'
import json, sys
case = json.load(open(sys.argv[1]))["cases"][0]
for series in case["metrics"][1:]:
    values = [p["placements"][0]["samples"][0] for p in series["processes"]]
    print(series["metric"], len(values), *sorted({round(v) if v < 90000 else v > 100000 for v in values}))
PY
}
same "what the record holds" "$(what main.json)" "first_call 5 5000
setup_time 5 300
kernel_time 5 80
peak_memory 5 True"

# compared STATUS : measures into now.json and compares it with main.json.
compared() {
  expect 0 run --output now.json
  expect "$1" "$HARNESS" compare --baseline main.json --current now.json --report json=compared.json
}

# Informative: a first call of twice the time is shown and decides nothing.
script 10000 600 40 100000 && commit "slow to start" && git tag slow
compared 0
names first_call setup_time
holds compared.json 'row("n=64", "first_call")["verdict"] == "regressed"' 'row("n=64", "first_call")["informative"]' \
  'row("n=64", "peak_memory")["verdict"] == "unchanged"' 'not row("n=64", "peak_memory")["informative"]'
expect 0 "$HARNESS" compare --baseline main.json --current now.json --format markdown
names first_call setup_time
expect 0 "$HARNESS" explain twice/right/n=64 --comparison compared.json --metric first_call
names first_call regressed

# Gated: kernels that take longer, and memory.
script 5000 300 41 100000
compared 1
holds compared.json 'row("n=64", "kernel_time")["verdict"] == "regressed"' \
  'row("n=64", "wall_time")["verdict"] == "unchanged"'
script 5000 300 40 200000
compared 1
holds compared.json 'row("n=64", "peak_memory")["verdict"] == "regressed"'

# A gated metric that one side lacks is missing, and never passes.
script 5000 300 40 100000
compared 0
cat >without.py <<'PY'
import json, sys
record = json.load(open(sys.argv[1]))
for case in record["cases"]:
    case["metrics"] = [one for one in case["metrics"] if one["metric"] != "peak_memory"]
json.dump(record, open(sys.argv[2], "w"))
PY
python3 without.py now.json without.json
expect 4 "$HARNESS" compare --baseline main.json --current without.json
names peak_memory
expect 4 "$HARNESS" compare --baseline without.json --current main.json
names peak_memory

# An older record holds the first call beside the samples of its time.
python3 - <<'PY'
import json
record = json.load(open("main.json"))
for case in record["cases"]:
    calls = next(one for one in case["metrics"] if one["metric"] == "first_call")
    case["metrics"].remove(calls)
    for process, call in zip(case["metrics"][0]["processes"], calls["processes"]):
        process["first_call"] = call["placements"][0]["samples"][0]
json.dump(record, open("old.json", "w"))
PY
expect 0 "$HARNESS" compare --baseline old.json --current now.json --report json=compared.json
holds compared.json 'row("n=64", "first_call")["verdict"] == "unchanged"'

# Over time: a metric that informs is shown where it is asked for.
git checkout -q -- .
expect 0 "$HARNESS" history --report json=history.json
holds history.json '"first_call" not in {one["metric"] for one in report["series"]}'
expect 0 "$HARNESS" history --metric first_call --report json=history.json
holds history.json '{one["metric"] for one in report["series"]} == {"first_call"}'
expect 0 "$HARNESS" bisect suite.yaml --device scripted:speed.json --build ./build.sh --good fast --bad slow \
  --metric first_call --report json=bisect.json
names "$(git rev-parse --short=10 slow)"
expect 4 "$HARNESS" bisect suite.yaml --device scripted:speed.json --build ./build.sh --good fast --bad slow

# The CPU tells the first call and the time to set up; it has no measure of its memory.
expect 0 "$HARNESS" run suite.yaml --device cpu --output cpu.json
holds cpu.json 'all(p["placements"][0]["samples"][0] > 0 for m in report["cases"][0]["metrics"] for p in m["processes"])' \
  '{m["metric"] for m in report["cases"][0]["metrics"]} == {"wall_time", "first_call", "setup_time"}'
finish
