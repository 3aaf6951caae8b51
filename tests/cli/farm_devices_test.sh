#!/usr/bin/env bash
# Several devices of a campaign: a regressed case is measured again on another one, and a device that is not well is taken
# out. Time is scripted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

# Two builds on two devices. One of them is wrong about n=64, which only the other one finds out.
repository
cat >suite.yaml <<'YAML'
version: 2
name: built
defaults: {sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [63, 64, 65, 66]}}
YAML
# device NAME US [MORE]: the current build of n=64 takes so long on it.
device() {
  cat >"$1.json" <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-$1", "cases": [
 {"match": "*n=64", "side": "current", "us": $2, "process_sd": 0.001, "sample_sd": 0.01},
 {"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01 ${3:-}}]}
JSON
}
two_builds
plan() {
  expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --baseline-build one --current-build other --device scripted:A.json \
    --pair "${pair:-process}" --block 1 --lease "${lease:-5m}" "$@"
}
# elapse: the campaign began an hour ago.
elapse() { python3 -c 'import sqlite3; sqlite3.connect("farm.db", isolation_level=None).execute("UPDATE tasks SET began = began - 3600 WHERE began > 0")'; }
work() { "$HARNESS" farm work --store farm.db --quiet --device "scripted:$1.json" "${@:2}"; }
for other in 100 105; do
  device A 105
  device B $other
  plan
  expect 0 work A --tasks 3
  expect 0 work B --tasks 1
  expect 0 work A --leave   # it judges, and the task to confirm is not for it
  expect 4 "$HARNESS" farm judge --store farm.db
  expect 0 work B
  status=$([ $other = 105 ] && echo 1 || echo 3)
  expect "$status" "$HARNESS" farm judge --store farm.db --report json=farm.json
done

# A process that measures both builds used the device once. Who measures results that failed, tells of them.
device B 100
plan
expect 0 work B
silent_about probe_copy
python3 - <<'PY' || problem "the tasks' seconds are not those of their processes"
import json, sqlite3
store = sqlite3.connect("farm.db")
((campaign,),) = store.execute("SELECT id FROM campaigns ORDER BY sequence DESC LIMIT 1").fetchall()
((seconds,),) = store.execute("SELECT sum(seconds) FROM tasks WHERE campaign = ?", (campaign,)).fetchall()
((content,),) = store.execute("SELECT content FROM campaigns WHERE id = ?", (campaign,)).fetchall()
record = json.loads(content)["suites"][0]["sides"][-1]["record"]
phases = [json.loads(text)["phases"] for (text,) in store.execute("SELECT result FROM results WHERE run = ?", (record,))]
expected = sum(sum(one.values()) for one in phases)
assert len(phases) == 20 and expected > 0 and abs(seconds - expected) < 1e-6 * expected, (len(phases), seconds, expected)
PY
device B 100 ', "error": {"placement": 0, "sample": 1}'
plan
expect 0 work B
names probe_copy/memcpy/n=63 probe_copy/memcpy/n=66 8
same "the tasks that failed" "$(grep -c '^task ' "$printed")" 4

device B 100
plan
expect 0 work A --tasks 3
expect 0 work B
expect 3 "$HARNESS" farm judge --store farm.db --report json=farm.json
names GPU-A GPU-B
holds farm.json 'row("probe_copy/memcpy/n=64")["verdict"] == "inconclusive"'
# Nobody else is there: the same device measures it again.
lease=100ms plan
expect 0 work A
expect 1 "$HARNESS" farm judge --store farm.db

# A confirmation counts no longer when its device was found sick, though the budget leaves no time for another.
device A 105
device B 100
plan --budget 1h
expect 0 work B --tasks 1  # not n=64, which promises least
expect 0 work A --tasks 3
expect 0 work A --leave
device B 100 ', "conditions": [{"process": 1}, {"throttled": ["thermal"]}]'
expect 2 work B
elapse
expect 1 "$HARNESS" farm judge --store farm.db --report json=farm.json
holds farm.json 'row("probe_copy/memcpy/n=64")["verdict"] == "regressed"' \
  'sum(one["verdict"] == "inconclusive" for one in report["cases"]) == 1'  # that the budget left out
expect 1 "$HARNESS" farm judge --store farm.db
device B 100

# A device that other processes use, or that is throttled from the first, measures nothing.
device C 100 ', "conditions": [{"other_processes": 2}]'
plan
expect 2 work C
names GPU-C
expect 2 work C  # it stays in quarantine
device C 100 ', "conditions": [{"throttled": ["thermal"]}]'
plan
expect 2 work C
expect 0 work B
expect 0 "$HARNESS" farm judge --store farm.db --report json=farm.json
names GPU-C thermal
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json '[one["sick"]["code"] for one in report["elements"] if one.get("sick")] == ["throttled"]'

# A device gets hot on the way: what it measured is measured again by another one.
device C 110 ', "conditions": [{"process": 1}, {"throttled": ["thermal"]}]'
plan
expect 2 work C --tasks 3
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["done"] == 0'
expect 0 work B
expect 0 "$HARNESS" farm judge --store farm.db --report json=farm.json
expect 0 "$HARNESS" records show "$(python3 -c 'import json; print(json.load(open("farm.json"))["current"]["id"])')" --store farm.db --report json=record.json
! grep -q GPU-C record.json || problem "the record holds results of a device in quarantine"

# A device is slower than it was: its own history tells.
device D 100
plan
expect 0 work D
python3 - <<'PY'
import sqlite3
store = sqlite3.connect("farm.db")
for session in range(8):
    store.execute("INSERT INTO probes SELECT device, subject, element || ?, log_value + ?, measured FROM probes WHERE device = "
                  "'GPU-D' AND element NOT LIKE '%#%'", (f"#{session}", 0.0005 * (session % 3)))
store.commit()
PY
plan
expect 0 work D
sed -i 's/"us": 100/"us": 104/g' D.json
plan
expect 2 work D
names GPU-D
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json '[one["sick"]["code"] for one in report["elements"]] == ["moved"]'
# A device of another class, or with another driver, than those before is refused. Others do its tasks.
described() {
  python3 - "$@" <<'PY'
import json, sys
name, kind, driver = sys.argv[1:]
script = json.load(open("A.json"))
script.update(device_uuid=f"GPU-{name}", machine_class=kind, fields={"driver": {"value": driver, "class": "warn"}})
json.dump(script, open(f"{name}.json", "w"))
PY
}
device A 100
described A scripted 580.1
described C other 580.1
described D scripted 580.2
described E scripted 580.1
for pair in process session; do
  plan --measure all
  expect 0 work A --tasks 1
  expect 4 counted work C
  names machine_class other
  same "the element, and workers of the check and of the first process" "$(programs)" 3
  expect 4 work D
  names driver 580.1 580.2
  expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
  holds status.json 'report["stored"] == 10'
  expect 0 work E
  expect 0 "$HARNESS" farm judge --store farm.db
done

# A task of such a device in a journal is no obstacle to others: they measure it.
unset pair
plan --measure all
expect 0 work A --tasks 1
mkdir journal
python3 - <<'PY'
import json, sqlite3
store = sqlite3.connect("farm.db")
(campaign, content), = store.execute("SELECT id, content FROM campaigns ORDER BY sequence DESC LIMIT 1")
machines = {"cpu": {"class": "other", "uuid": "GPU-C", "fields": []}}
sides = [{"record": side["record"], "machines": machines} for side in json.loads(content)["suites"][0]["sides"]]
with open(f"journal/harness-farm-{campaign}-2.jsonl", "w") as file:
    file.write(json.dumps({"campaign": campaign, "number": 2, "holder": "another", "device": "GPU-C", "sides": sides}) + "\n" * (1 + len(sides)))
PY
expect 0 work E --journal journal
names machine_class other
[ -z "$(ls journal)" ] || problem "the journal keeps $(ls journal)"
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["stored"] == report["results"] == 40'
expect 0 "$HARNESS" farm judge --store farm.db
finish
