#!/usr/bin/env bash
# `harness calibrate`: sessions of the scripted device, real samples from files, and what compare and the suite
# get from it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
speeds 100 0.02
suite right also_right
sed -i 's/^name: demo/name: demo   # a comment that stays/' suite.yaml
commit "a noisy kernel"
calibrate() { "$HARNESS" calibrate suite.yaml --device scripted:speed.json --color never "$@"; }

# Two sessions: spreads, alarms, proposals.
expect 0 calibrate --runs 2 --processes 8 --report json=calibration.json
holds calibration.json 'report["format"] == "harness-calibration"' 'report["splits"] == 1000' \
  'report["suite_alarms"] <= 20' \
  'all(0.008 < case["process"]["sd"] < 0.05 for case in report["cases"] if case["metric"] == "wall_time")' \
  'all((case["processes"], case["sessions"]) == (16, 2) for case in report["cases"] if case["metric"] == "wall_time")' \
  'all(case["proposed"]["processes"] > 5 for case in report["cases"] if case["metric"] == "wall_time")'

# None of it is a baseline or a current side.
expect 4 "$HARNESS" compare --baseline HEAD --current HEAD
expect 4 "$HARNESS" history

# The proposals are written beside what is there.
cp suite.yaml before.yaml
expect 0 calibrate --runs 1 --processes 8 --write
cmp -s before.yaml suite.yaml && problem "nothing was written"
diff before.yaml suite.yaml | grep '^<' && problem "lines that were there have changed"
expect 0 "$HARNESS" list suite.yaml
cp suite.yaml once.yaml
expect 0 calibrate --runs 1 --processes 8 --write
same "lines after writing twice" "$(wc -l <suite.yaml)" "$(wc -l <once.yaml)"
sed 's/^    axes: {n: \[64\]}/    axes: {n: [64]}\n    overrides: [{match: {n: 64}, gate: {margin: 2%}}]/' before.yaml >suite.yaml
cp suite.yaml flow.yaml
expect 2 calibrate --runs 1 --processes 8 --write
cmp -s suite.yaml flow.yaml || problem "a refused suite was changed"

# compare takes what was learned.
cp before.yaml suite.yaml
git add -A; git commit -qm "results to compare"
expect 0 run
echo change >change; git add change; git commit -qm "nothing changed"
"$HARNESS" run suite.yaml --device scripted:speed.json --against HEAD~1 --report json=compared.json >"$printed" 2>&1
holds compared.json 'report["policy"]["learned"]'

# Real sessions of one GPU, taken from files; the same file twice is one session.
expect 0 "$HARNESS" calibrate --from "$data/h200/main.jsonl" "$data/h200/same.jsonl" --suite probe --store h200.db
names GPU-A
expect 0 "$HARNESS" calibrate --from "$data/h200/main.jsonl" --suite probe --store h200.db --report json=h200.json
holds h200.json 'all(case["sessions"] == 2 for case in report["cases"])' 'report["suite_alarms"] == 0'

# A side of an A/B run has processes of other kinds among its own. The same record without a pairing is a session.
expect 0 run --output plain.record.json
python3 -c 'import json
record = json.load(open("plain.record.json"))
record["pairing"] = {"id": "a", "kind": "process", "side": "current"}
json.dump(record, open("side.record.json", "w"))'
expect 2 "$HARNESS" calibrate --from side.record.json --store sides.db
names A/B
expect 0 "$HARNESS" calibrate --from plain.record.json --store sides.db

# Slips.
expect 2 "$HARNESS" calibrate
expect 2 "$HARNESS" calibrate --from "$data/h200/main.jsonl" "$data/h200/same.jsonl" --store other.db
expect 2 "$HARNESS" calibrate absent.yaml
expect 2 "$HARNESS" calibrate --from "$data/h200/main.jsonl" --suite probe --write --store other.db
names --write
expect 2 "$HARNESS" calibrate suite.yaml --device nonsense --runs 1
names nonsense
expect 2 calibrate --detect 5
expect 2 calibrate --format pdf
names pdf
finish
