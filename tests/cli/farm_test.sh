#!/usr/bin/env bash
# A campaign of several elements: the same verdict, exit status and figures as one run of the same samples. The scripted
# device's noise does not depend on who measures.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

repository
suite right also_right
sed -i 's/n: \[64\]/n: [32, 64, 128]/' suite.yaml
speeds 100
commit "fast"
expect 0 run --store base.db
git checkout -qb change
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "twice/right/n=64", "us": 103, "process_sd": 0.001, "sample_sd": 0.01},
 {"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
commit "one case is slower"
cp base.db run.db
cp base.db farm.db

farm() { "$HARNESS" farm "$@" --store farm.db; }
plan() { farm plan suite.yaml --device scripted:speed.json --looks 1 --no-confirm "$@"; }
# shellcheck disable=SC2120  # `expect` passes some
work() { farm work --quiet "$@"; }
# same_figures ONE OTHER: two comparisons found the same in every case.
same_figures() {
  python3 - "$1" "$2" <<'PY' || problem "$1 and $2 differ"
import json, sys
one, other = (json.load(open(file)) for file in sys.argv[1:])
keep = ("case", "metric", "verdict", "ratio", "interval", "p", "p_adjusted", "processes")
rows = [[{key: row.get(key) for key in keep} for row in report["cases"]] for report in (one, other)]
assert rows[0] == rows[1] and len(rows[0]) >= 4, rows
assert one["verdict"] == other["verdict"] and one["exit_code"] == other["exit_code"]
PY
}

expect 1 run --against main --store run.db --measure all --no-confirm --looks 1 --report json=run.json
expect 4 farm status
expect 0 plan --against main --block 1
expect 4 farm judge
names harness farm work
for element in 1 2 3; do
  farm work --quiet >element$element.log 2>&1 &
done
wait
for element in 1 2 3; do
  grep -q finished element$element.log || problem "element $element: $(cat element$element.log)"
done
expect 0 farm status --report json=status.json
holds status.json 'report["done"] == report["tasks"] == 6' 'report["stored"] == report["results"] == 30' \
  'sum(one["done"] for one in report["elements"]) == 6'
expect 1 farm judge --report json=farm.json
same_figures farm.json run.json
holds farm.json 'row("twice/right/n=64")["verdict"] == "regressed"'

# An element that has still to check its device may have measured for nothing.
unverified_until() {
  python3 -c 'import sqlite3, sys; sqlite3.connect("farm.db", isolation_level=None).execute("UPDATE elements SET verified = 0, expires = " + sys.argv[1])' "$1"
}
unverified_until 1e12
expect 4 farm judge
expect 0 farm status --report json=status.json
holds status.json 'all(one["checking"] for one in report["elements"])'
unverified_until 0

# Judging again says the same. Its record is like that of any run.
expect 1 farm judge --report json=again.json
same_figures again.json farm.json
expect 1 "$HARNESS" compare --baseline main --current HEAD --store farm.db --report json=compare.json
same_figures compare.json farm.json

# Without a baseline it is measured and shown. No `run --continue` takes up the record of a campaign.
expect 0 plan --filter '*/right/*'
expect 4 run --store farm.db --continue
expect 0 work
expect 0 farm judge
names twice/right/n=128

# Filters select from all suites together, and a suite of which they select nothing is left out.
sed 's/: demo/: other/; s/n: \[.*/n: [16]}/' suite.yaml >other.yaml
expect 0 plan other.yaml --filter '*/n=16'
names suite.yaml
expect 0 farm status --report json=status.json
holds status.json 'report["results"] == 10'
expect 2 plan other.yaml --filter '*/n=16' --filter '*/n=33'
names n=33
expect 2 plan other.yaml --filter '*/n=16' --filter '!*/n=*'
expect 2 plan --filter '*/n=16'
rm other.yaml

# A slip is told before anything is planned.
expect 2 plan --against no-such-branch
names --against no-such-branch
expect 2 farm plan missing.yaml
expect 4 farm work 12345678
expect 4 "$HARNESS" farm work --store none.db
absent none.db

# One build is measured on the device that it was planned for.
expect 0 plan --against main
sed 's/GPU-A/GPU-B/' speed.json >other.json
expect 4 work --device scripted:other.json
names GPU-A GPU-B
expect 0 farm status --report json=status.json
holds status.json 'report["stored"] == 0' 'report["leased"] == 0'

# All elements measure the build that was planned.
echo >>plugin.so
expect 4 work
cp "$PLUGIN" plugin.so
expect 0 work

# An element that is asked to stop gives its task back at once, and no signal keeps it from doing so.
suite slow right
sed -i 's/processes: 5/processes: 20/' suite.yaml
commit "long enough"
expect 0 plan --block 1 --lease 1h
leased() { farm status --format json 2>/dev/null | grep -q '"leased": 1'; }
for later in none TERM INT; do
  "$HARNESS" farm work --store farm.db --quiet >stopped.log 2>&1 &
  pid=$!
  eventually leased
  kill -TERM $pid
  # Again and again, until it has ended.
  while [ $later != none ] && kill -$later $pid 2>/dev/null; do sleep 0.01; done
  status=0
  wait $pid || status=$?
  same "the exit status after $later" $status 130
  expect 0 farm status --report json=status.json
  holds status.json 'report["leased"] == 0' 'report["done"] < report["tasks"]'
done
expect 0 work
expect 0 farm judge

# Two builds, each task with both of them, so that several devices may share the work.
mkdir builds && cd builds || exit 1
cat >suite.yaml <<'YAML'
version: 2
name: built
defaults: {sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [63, 64, 65, 66]}}
YAML
for device in A B; do
  cat >$device.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-$device", "cases": [
 {"match": "*n=64", "side": "current", "us": 102, "process_sd": 0.02, "sample_sd": 0.01},
 {"match": "*", "us": 100, "process_sd": 0.02, "sample_sd": 0.01}]}
JSON
done
two_builds
both() { "$HARNESS" "$@" suite.yaml --baseline-build one --current-build other --device scripted:A.json; }
sed 's/: built/: other/; s/63, 64, 65, 66/128/' suite.yaml >other.yaml
expect 0 both farm plan other.yaml --store other.db --filter '*/n=128' --measure all
expect 0 "$HARNESS" farm status --store other.db --report json=status.json
holds status.json 'report["results"] == 10'
expect 2 both farm plan other.yaml --filter '*/n=129' --store other.db
names n=129
# Only in one process does a script know the sides; else no case can be decided.
for pair in process session; do
  status=$([ $pair = process ] && echo 1 || echo 3)
  expect "$status" both ab --store ab.db --pair $pair --measure all --no-confirm --report json=ab.json
  expect 0 both farm plan --store farm.db --pair $pair --block 1 --looks 1 --no-confirm
  # Each device measures one task, and then whatever is left.
  for device in A B; do
    expect 0 "$HARNESS" farm work --store farm.db --quiet --device scripted:$device.json --tasks 1
  done
  expect 0 "$HARNESS" farm work --store farm.db --quiet
  expect "$status" "$HARNESS" farm judge --store farm.db --report json=farm.json
  same_figures farm.json ab.json
  holds farm.json "report['pairing'] == '$pair'"
  expect 0 "$HARNESS" records show "$(python3 -c 'import json; print(json.load(open("farm.json"))["current"]["id"])')" --store farm.db --report json=record.json
  grep -q "GPU-A+GPU-B" record.json || problem "the record does not name both devices"
done
finish
