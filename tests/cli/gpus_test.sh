#!/usr/bin/env bash
# Cases of several GPUs: a missing one is a skip with its reason, all that are used are locked, and a report has the
# efficiency. Scripted devices stand for GPUs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export COLUMNS=300 HARNESS_LOCK_DIR=$work
repository
cat >suite.yaml <<'YAML'
version: 2
name: team
cases:
  - workload: all_reduce
    variants: [threads]
    reference: all_reduce/threads/gpus=1/n=*
    axes: {gpus: [1, 2], n: 64}
    sampling: {processes: 3, placements: 1, samples: 10, cache: hot, preheat: 0ms}
YAML
commit "something for two"
device() {
  cat >"$1.json" <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "$2",
 "cases": [{"match": "*/gpus=1/*", "us": 100, "process_sd": 0.001}, {"match": "*", "us": 62.5, "process_sd": 0.001}]}
JSON
}
device a GPU-A
device b GPU-B

# A CPU has threads for any number; one device is one.
expect 0 "$HARNESS" run suite.yaml --device cpu --processes 1 --output cpu.json
expect 0 "$HARNESS" run suite.yaml --device scripted:a.json --output one.json
python3 - <<'PY' || problem "a missing GPU is not the reason of a skip"
import json
two = "all_reduce/threads/gpus=2/n=64"
on_cpu, on_one = ({case["id"]: case for case in json.load(open(file))["cases"]} for file in ("cpu.json", "one.json"))
assert on_cpu[two]["outcome"] == "measured", on_cpu[two]
assert on_one[two]["outcome"] == "skipped", on_one[two]
reason = on_one[two]["reason"]
assert (reason["code"], reason["needs"], reason["has"]) == ("too_few_gpus", 2, 1), reason
PY

# Two devices are two.
both=scripted:a.json,scripted:b.json
expect 0 "$HARNESS" run suite.yaml --device $both --output two.json --report json=two-report.json
python3 - <<'PY' || problem "the record and its report do not tell of two GPUs"
import json
cases = {case["id"]: case for case in json.load(open("two.json"))["cases"]}
one, two = cases["all_reduce/threads/gpus=1/n=64"], cases["all_reduce/threads/gpus=2/n=64"]
assert one["outcome"] == two["outcome"] == "measured", (one, two)
assert two["gpus"] == 2 and "gpus" not in one, (one, two)
text = open("two-report.json").read()
summaries = json.loads(text)["cases"]
efficiency = [case["efficiency"] for case in summaries if case.get("efficiency")]
assert len(efficiency) == 1, summaries
assert abs(efficiency[0]["ratio"] - 0.8) < 0.01, efficiency
assert efficiency[0]["interval"][0] < 0.8 < efficiency[0]["interval"][1], efficiency
PY

# Each is locked, because a case uses both at once.
rm -f "$work"/harness-*.lock  # of the CPU
expect 0 "$HARNESS" run suite.yaml --device $both --wait 0 --processes 1
locks=("$work"/harness-*.lock)
[ "${#locks[@]}" -eq 2 ] || problem "not a lock a device: ${locks[*]}"
for lock in "${locks[@]}"; do
  exec 9<>"$lock"
  flock -n 9 || problem "the lock is not free: $lock"
  expect 2 "$HARNESS" run suite.yaml --device $both --wait 0
  exec 9>&-
done

# Without a case for several, several devices are a mistake.
sed 's/gpus: \[1, 2\]/gpus: 1/; /reference/d' suite.yaml >single.yaml
expect 2 "$HARNESS" run single.yaml --device $both
names any-of-class
finish
