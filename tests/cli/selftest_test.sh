#!/usr/bin/env bash
# `harness selftest`: simulated rates, and random halves of a run of the scripted device.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

expect 0 "$HARNESS" selftest --splits 10 --seed 3 --color never --report json=selftest.json
python3 - selftest.json <<'PY' || problem "the JSON does not hold the rates"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["format"] == "harness-selftest" and report["passed"] and report["seed"] == 3, report
assert (report["splits"], report["cases"]) == (10, 20), report
rows = report["simulated"]
assert {row["plan"] for row in rows} >= {"P = 3", "P = 5", "P = 8", "P = 16", "looks 5/10/20", "P = 3 shared", "P = 5 shared"}
assert all(row["unchanged_suite_called_regressed"]["trials"] == 10 for row in rows)
assert all(row["passed"] for row in rows)
few = [row for row in rows if row["plan"] == "P = 3"]  # never decided
assert {row["noise"] for row in rows} >= {"normal", "bimodal", "AR(1) 0.9", "3 % drift"}
assert len(few) == 1 and few[0]["found"] == {**few[0]["found"], "hits": 0, "limit": 1} and few[0]["found"]["trials"], few
assert few[0]["at_margin_called_regressed"]["limit"] == 0, few
PY
# A terminal sees how far it is, and the same seed gives the same report.
python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
  "$HARNESS" selftest --splits 10 --seed 3 --report json=again.json </dev/null >"$printed" 2>&1 || problem "on a terminal it fails"
grep -q $'\r' "$printed" || problem "a terminal is shown no progress"
cmp -s selftest.json again.json || problem "the same seed gives another report"

# Ctrl-C ends it, and not in silence. The signal is sent when somebody listens (SigCgt, bit 1).
"$HARNESS" selftest --splits 1000000 >"$printed" 2>&1 &
pid=$!
listens() { [ $((0x$(awk '/^SigCgt/ {print $2}' "/proc/$pid/status") & 2)) -ne 0 ]; }
eventually listens
kill -INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || problem "SIGINT: exit status $status, not 130"
[ -s "$printed" ] || problem "it was interrupted in silence"

# On a device: halves of one run.
speeds 100 0.01
suite right also_right
cp "$PLUGIN" plugin.so
expect 0 "$HARNESS" selftest --aa suite.yaml --device scripted:speed.json --processes 12 --splits 300 --report json=halves.json
holds halves.json 'report["passed"]' 'len(report["runs"]) == 1' '"GPU-A" in str(report["runs"])' \
  '5 <= len(report["runs"][0]["peers"]) <= 10' 'all(peer["suite_called_slower"]["trials"] == 200 for peer in report["runs"][0]["peers"])'
names 'Otava'
absent .harness

# Slips.
expect 4 "$HARNESS" selftest --aa suite.yaml --device scripted:speed.json --processes 9
expect 2 "$HARNESS" selftest --aa absent.yaml
expect 2 "$HARNESS" selftest --device cpu
names --aa
expect 2 "$HARNESS" selftest --splits 0
expect 2 "$HARNESS" selftest --format pdf
names pdf
finish
