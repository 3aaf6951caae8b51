#!/usr/bin/env bash
# Workers that share a device: never two inside at once, and the results of one worker.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right
sed -i 's/n: \[64\]/n: [64, 524288]/; s/timeout: 5s/timeout: 60s/' suite.yaml
commit "something to measure"
cat >speed.json <<JSON
{"version": 1, "device_uuid": "GPU-A", "inside": "$work/inside", "batch_below_us": 1,
 "cases": [{"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON

expect 2 run --workers 0
expect 2 run --workers many
names --workers

expect 0 run --workers 3 --output shared.json
expect 0 run --workers 1 --output alone.json
expect 0 run --output usual.json
python3 - <<'PY' || problem "workers that share a device measure something else"
import json

def read(name):
    record = json.load(open(name))
    fields = {f["name"]: f["value"] for f in record["machines"]["cpu"]["fields"]}
    values = {}
    for case in record["cases"]:
        assert [one["process"] for one in case["results"]] == [1, 2, 3, 4, 5], case["results"]
        for metric in case["metrics"]:
            for process in metric["processes"]:
                samples = [placement["samples"] for placement in process["placements"]]
                values[case["id"], metric["metric"], process["process"]] = samples
    return record, fields, values

shared, alone, usual = read("shared.json"), read("alone.json"), read("usual.json")
assert shared[2] == alone[2], "other values"
assert alone[2] == usual[2]
assert shared[1].get("workers") == "3", shared[1]
assert "workers" not in alone[1] and "workers" not in usual[1], "a script shares only when it is asked to"
assert shared[0]["machines"]["cpu"]["class"] == alone[0]["machines"]["cpu"]["class"]
PY
expect 0 "$HARNESS" compare --baseline alone.json --current shared.json

# A device that takes one process at a time.
sed -i "s|\"inside\"|\"context\": \"$work/context\", &|" speed.json
expect 0 run --workers 3 --output exclusive.json
python3 -c 'import json
for case in json.load(open("exclusive.json"))["cases"]:
    assert [one["process"] for one in case["results"]] == [1, 2, 3, 4, 5], case["results"]
    assert all(one["outcome"] == "measured" for one in case["results"]), case["results"]' || problem "one worker at a time measures all"
finish
