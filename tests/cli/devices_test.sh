#!/usr/bin/env bash
# The devices and their names; processes of a run that take turns on several devices.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export COLUMNS=300  # sentences in one line
repository
suite right also_right
commit "something to measure"
export HARNESS_NVML=$FAKE_NVML_LIBRARY FAKE_NVML=$work/nvml HARNESS_LOCK_DIR=$work
printf 'driver 580.1\ngpu\nuuid GPU-aaaa\nname NVIDIA H200\ngpu\nuuid GPU-bbbb\nname NVIDIA H200\nprocesses 1\n' >nvml

expect 0 "$HARNESS" list --devices
names cpu cuda:0 GPU-aaaa cuda:1 GPU-bbbb
CUDA_VISIBLE_DEVICES=1 expect 0 "$HARNESS" list --devices
names cuda:0 GPU-bbbb CUDA_VISIBLE_DEVICES
silent_about GPU-aaaa
expect 2 "$HARNESS" list
expect 2 "$HARNESS" run suite.yaml --device gpu
names gpu
expect 2 "$HARNESS" run suite.yaml --device cpud
names cpud cpu
# A device that was asked for and cannot be had is no run of which nothing was measured.
HARNESS_CUDA_MODULE=$work/none.so expect 2 "$HARNESS" run suite.yaml --device cuda:1
names --device cuda:1
expect 2 "$HARNESS" run suite.yaml --device scripted:missing.json
names missing.json
expect 2 "$HARNESS" doctor --device cuda:7
names cuda:7 GPU-aaaa GPU-bbbb

# Two devices of one class, of which the second is 3 % slower.
device() {
  cat >"$1.json" <<JSON
{"version": 1, "machine_class": "${4:-scripted}", "device_uuid": "$2", "seed": ${5:-1},
 "fields": {"memory": {"value": "${6:-80}", "class": "block"}}, "ceilings": {"copy_bytes_per_s": $3e9},
 "cases": [{"match": "*", "us": $3, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
}
device a GPU-A 100
device b GPU-B 103
both=scripted:a.json,scripted:b.json
expect 2 "$HARNESS" run suite.yaml --device $both
names any-of-class
sed 's/^name: demo/&\ndevices: any-of-class/' suite.yaml >several.yaml
expect 2 "$HARNESS" run several.yaml --device cpu,$both
expect 2 "$HARNESS" run several.yaml --device scripted:a.json,scripted:a.json
sed 's/any-of-class/all/' several.yaml >wrong.yaml
expect 2 "$HARNESS" run wrong.yaml
names wrong.yaml:3 any-of-class
device c GPU-C 100 other
expect 2 "$HARNESS" run several.yaml --device scripted:a.json,scripted:c.json
names other
device d GPU-D 100 scripted 1 40
expect 2 "$HARNESS" run several.yaml --device scripted:a.json,scripted:d.json
names 40 80

# Process i runs on device (i - 1) mod 2, and says so; the record is of both.
expect 0 "$HARNESS" run several.yaml --device $both --processes 6 --output both.json
python3 - <<'PY' || problem "the record does not tell which process ran where"
import json
record = json.load(open("both.json"))
machine = record["machines"]["cpu"]
assert machine["uuid"] == "GPU-A+GPU-B", machine["uuid"]
assert machine["ceilings"]["copy_bytes_per_s"] == 103e9, "the best that one of them reaches"
for case in record["cases"]:
    processes = case["results"]
    assert [p["process"] for p in processes] == [1, 2, 3, 4, 5, 6], processes
    assert [p["device"] for p in processes] == ["GPU-A", "GPU-B"] * 3, processes
    by_process = {p["process"]: p for p in case["metrics"][0]["processes"]}
    for number, samples in by_process.items():
        first = sum(samples["placements"][0]["samples"]) / 20
        assert abs(first / (100 if number % 2 else 103) - 1) < 0.015, (number, first)
PY
expect 0 "$HARNESS" run suite.yaml --device scripted:a.json --output one.json
python3 -c 'import json; assert all("device" not in p for c in json.load(open("one.json"))["cases"] for p in c["results"])' ||
  problem "a run on one device names it process by process"

# Another session on the same two devices compares; one on only one of them is another device.
sed 's/"seed": 1/"seed": 2/' a.json >tmp && mv tmp a.json
sed 's/"seed": 1/"seed": 2/' b.json >tmp && mv tmp b.json
expect 0 "$HARNESS" run several.yaml --device scripted:b.json,scripted:a.json --processes 6 --output again.json
"$HARNESS" compare --baseline both.json --current again.json >"$printed" 2>&1
status=$?
[ $status = 0 ] || [ $status = 3 ] || problem "the same two devices: exit status $status"
silent_about "REGRESSED"
expect 0 "$HARNESS" run several.yaml --device scripted:a.json --processes 6 --output only_a.json
expect 4 "$HARNESS" compare --baseline both.json --current only_a.json
names GPU-A+GPU-B

# Each device is locked for itself: a run that needs one which is taken waits for it, or says so.
expect 0 "$HARNESS" run several.yaml --device $both --wait 0
locks=("$work"/harness-*.lock)
[ "${#locks[@]}" -eq 2 ] || problem "not a lock a device: ${locks[*]}"
for lock in "${locks[@]}"; do
  exec 9<>"$lock"
  flock -n 9 || problem "the lock is not free: $lock"
  expect 2 "$HARNESS" run several.yaml --device $both --wait 0
  exec 9>&-
done
finish
