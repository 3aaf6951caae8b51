#!/usr/bin/env bash
# Cache and timing as settings and as axes: what is listed, measured, recorded, and what must not be compared.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cp "$PLUGIN" plugin.so
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "control": {"call": 2.7, "batched": 0.5},
 "default": {"us": 5.5, "hot_us": 4, "batch_us": 3.13, "process_sd": 0.001, "sample_sd": 0.001}}
JSON
# with AXES SAMPLING : the suite.
with() {
  cat >suite.yaml <<YAML
version: 2
name: demo
modules: [./plugin.so]
cases:
  - {workload: twice, variant: right, axes: {n: 64$1}, sampling: {processes: 5, placements: 1, samples: 5, preheat: 0ms$2}}
YAML
}
# measured FILE : "name cache timing centre" of each case, in us.
measured() {
  python3 - "$1" <<'PY'
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    samples = [s for p in case["metrics"][0]["processes"] for l in p["placements"] for s in l["samples"]]
    print(case["id"], case["sampling"]["cache"], case["sampling"].get("timing", "events"),
          round(sum(samples) / len(samples), 1))
PY
}

with ", cache: [cold, hot], timing: [events, batch]" ""
expect 0 "$HARNESS" list suite.yaml --device scripted:speed.json
names cache=cold/timing=events cache=hot/timing=batch
expect 0 run --output modes.json
names 2.7 0.5 batch
same "modes" "$(measured modes.json)" "twice/right/n=64/cache=cold/timing=events cold events 5.5
twice/right/n=64/cache=cold/timing=batch cold batch 3.1
twice/right/n=64/cache=hot/timing=events hot events 4.0
twice/right/n=64/cache=hot/timing=batch hot batch 3.1"

with "" ", cache: hot"
expect 0 run --output events.json
with "" ", cache: hot, timing: batch, batch_nodes: [10, 40]"
expect 0 "$HARNESS" list suite.yaml --device scripted:speed.json
names 10, 40
expect 0 run --output batch.json
expect 4 "$HARNESS" compare --baseline events.json --current batch.json
names timing: events batch
expect 0 run --output again.json
expect 0 "$HARNESS" compare --baseline batch.json --current again.json

with ", cache: [warm]" ""
expect 2 "$HARNESS" list suite.yaml
names cold hot rotate
finish
