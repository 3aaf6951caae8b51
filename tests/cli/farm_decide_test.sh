#!/usr/bin/env bash
# A campaign decides as a run does: proven cases make no task, undecided ones are measured up to their next look, and
# regressed ones again. Time and digests are scripted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right
sed -i 's/n: \[64\]/n: [32, 64, 128]/' suite.yaml
# scripts DIGEST US SD: the first is of twice/right/n=64; the others never change.
scripts() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "twice/right/n=64", "us": $2, "process_sd": $3, "sample_sd": 0.01, "identity": {"digest": "$1"}},
 {"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01, "identity": {"digest": "same"}}]}
JSON
}
scripts old 100 0.001
commit "fast"
expect 0 run --store base.db
git checkout -qb change

# as_run STATUS: a run and a campaign of the same change end with this status and the same figures.
as_run() {
  local status=$1
  shift
  git commit -qam "a change" --allow-empty
  cp base.db run.db
  cp base.db farm.db
  expect "$status" run --against main --store run.db --report json=run.json "$@"
  expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json --block 4 "$@"
  expect 0 "$HARNESS" farm work --store farm.db --quiet
  expect "$status" "$HARNESS" farm judge --store farm.db --report json=farm.json
  python3 - <<'PY' || problem "the run and the campaign differ"
import json
one, other = (json.load(open(file)) for file in ("run.json", "farm.json"))
keep = ("case", "metric", "verdict", "ratio", "interval", "p", "p_adjusted", "processes", "confirmation")
rows = [[{key: row.get(key) for key in keep} for row in report["cases"]] for report in (one, other)]
assert rows[0] == rows[1] and len(rows[0]) >= 6, rows
PY
  expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
}

# One case is slower: the others are proven, and it is measured again before the campaign is red.
scripts new 103 0.001
as_run 1
holds farm.json 'row("twice/right/n=64")["verdict"] == "regressed"' 'row("twice/also_right/n=32")["verdict"] == "identical"' \
  'sum(one["verdict"] == "identical" for one in report["cases"]) == 5'
holds status.json 'report["tasks"] == 2' 'report["results"] == report["stored"] == 10' 'not report["judging"]'
as_run 1 --no-confirm
holds status.json 'report["tasks"] == 1'
as_run 1 --measure all
holds farm.json 'not [one for one in report["cases"] if one["current"]["processes"] == 0]'

# It is undecided at five processes a side, and at all further looks.
scripts new 101 0.01
as_run 3
holds status.json 'report["tasks"] == 2' 'report["results"] == report["stored"] == 10'
as_run 3 --looks 1
holds status.json 'report["tasks"] == 1'

# Elements may be gone before the last task is judged.
scripts new 103 0.001
git commit -qam "slower again" --allow-empty
cp base.db farm.db
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json
expect 0 "$HARNESS" farm work --store farm.db --quiet --tasks 1
expect 4 "$HARNESS" farm judge --store farm.db
expect 0 "$HARNESS" farm work --store farm.db --quiet
expect 1 "$HARNESS" farm judge --store farm.db
finish
