#!/usr/bin/env bash
# `harness calibrate`: sessions of the scripted device, real samples from files, and what compare and the suite
# get from it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(dirname "$(readlink -f "$0")")/../data/h200

repository
speeds 100 0.02
suite right also_right
sed -i 's/^name: demo/name: demo   # a comment that stays/' suite.yaml
commit "a noisy kernel"
calibrate() { "$HARNESS" calibrate suite.yaml --device scripted:speed.json --color never "$@"; }

# Two sessions: spreads, alarms, proposals.
expect 0 calibrate --runs 2 --processes 8 --report json=calibration.json
says "session 1 of 2" "session 2 of 2" "2 records of unchanged builds" "process sd" "random splits with 5 processes"
grep -q '"format": "harness-calibration"' calibration.json || problem "no JSON"
python3 - calibration.json <<'PY' || problem "the figures are not what the script puts in"
import json, sys
report = json.load(open(sys.argv[1]))
for case in report["cases"]:
    if case["metric"] != "wall_time": continue
    assert 0.008 < case["process"]["sd"] < 0.05, case["process"]
    assert case["processes"] == 16 and case["sessions"] == 2, case
    assert case["proposed"]["processes"] > 5, case["proposed"]
assert report["splits"] == 1000 and report["suite_alarms"] <= 20, report
PY

# None of it is a baseline or a current side.
expect 4 "$HARNESS" compare --baseline HEAD --current HEAD
says "no complete record"
expect 4 "$HARNESS" history
says "holds no results"

# The proposals are written beside what is there.
cp suite.yaml before.yaml
expect 0 calibrate --runs 1 --processes 8 --write
says "have new settings" "review the difference"
grep -q "by harness calibrate" suite.yaml || problem "nothing was written"
diff before.yaml suite.yaml | grep '^<' && problem "lines that were there have changed"
expect 0 "$HARNESS" list suite.yaml
cp suite.yaml once.yaml
expect 0 calibrate --runs 1 --processes 8 --write
[ "$(grep -c "by harness calibrate" suite.yaml)" -eq "$(grep -c "by harness calibrate" once.yaml)" ] || problem "entries pile up"
sed 's/^    axes: {n: \[64\]}/    axes: {n: [64]}\n    overrides: [{match: {n: 64}, gate: {margin: 2%}}]/' before.yaml >suite.yaml
cp suite.yaml flow.yaml
expect 2 calibrate --runs 1 --processes 8 --write
says "not a list with one entry a line" "add by hand"
cmp -s suite.yaml flow.yaml || problem "a refused suite was changed"

# compare takes what was learned, and says so.
cp before.yaml suite.yaml
git add -A; git commit -qm "results to compare"
expect 0 run
echo change >change; git add change; git commit -qm "nothing changed"
"$HARNESS" run suite.yaml --device scripted:speed.json --against HEAD~1 --report json=compared.json >"$printed" 2>&1
grep -q "learned for" compared.json || problem "compare does not say what it learned"

# Real sessions of one GPU, taken from files; the same file twice is one session.
expect 0 "$HARNESS" calibrate --from "$data/main.jsonl" "$data/same.jsonl" --suite probe --store h200.db
says "2 records of unchanged builds" "nvidia-h200 GPU-A" "0 of 1000 random splits"
expect 0 "$HARNESS" calibrate --from "$data/main.jsonl" --suite probe --store h200.db
says "2 records of unchanged builds"

# Slips.
expect 2 "$HARNESS" calibrate
says "nothing to calibrate"
expect 2 "$HARNESS" calibrate --from "$data/main.jsonl" "$data/same.jsonl" --store other.db
says "sessions are of one suite"
expect 2 "$HARNESS" calibrate absent.yaml
expect 2 "$HARNESS" calibrate --from "$data/main.jsonl" --suite probe --write --store other.db
says "--write needs the suite file"
expect 2 "$HARNESS" calibrate suite.yaml --device nonsense --runs 1
says "measuring failed" "is not a device"
expect 2 calibrate --detect 5
expect 2 calibrate --format html
says "a calibration cannot be written as html"
finish
