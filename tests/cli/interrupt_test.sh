#!/usr/bin/env bash
# A run that is interrupted or killed keeps what it finished and can be continued.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite slow right also_right
sed -i 's/processes: 5/processes: 30/; s/samples: 20/samples: 30/' suite.yaml
commit "long enough to be interrupted"

# Waits until a run has put something into its store; a bound, not a timing.
wait_for_results() {
  local try
  for try in $(seq 200); do
    [ -s "$1" ] && [ "$(sqlite_results "$1")" -ge 3 ] && return 0
    sleep 0.05
  done
  problem "no results after $try tries"
}
sqlite_results() {
  python3 -c 'import sqlite3,sys; print(sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).execute("select count(*) from results").fetchone()[0])' "$1" 2>/dev/null || echo 0
}

for signal in INT TERM KILL; do
  store=$signal.db
  setsid "$HARNESS" run suite.yaml --store $store --report junit=$signal.xml --output "$signal.json" >"$signal.log" 2>&1 &
  pid=$!
  wait_for_results $store
  kill -$signal "$pid"
  status=0
  wait "$pid" || status=$?
  if [ $signal != KILL ]; then
    [ "$status" -eq 130 ] || problem "SIG$signal: exit status $status, not 130"
    grep -q "are kept; repeat the command with --continue" "$signal.log" || problem "SIG$signal: nothing says how to go on"
  fi
  kept=$(sqlite_results $store)
  [ "$kept" -ge 3 ] || problem "$signal: only $kept results were kept"
  # The file that a CI reads holds every case, and is red.
  python3 - $signal.xml <<'PY' || problem "$signal: the JUnit file does not say that the run did not end"
import sys, xml.etree.ElementTree as xml
cases = xml.parse(sys.argv[1]).getroot().findall("testsuite/testcase")
names = {case.get("name") for case in cases}
assert {"twice/slow/n=64", "twice/right/n=64", "twice/also_right/n=64", "(the whole run)"} <= names, names
assert [case.get("name") for case in cases if case.find("error") is not None].count("(the whole run)") == 1
PY
  # No worker outlives its parent.
  for _ in $(seq 100); do pgrep -f "$HARNESS worker" >/dev/null || break; sleep 0.05; done
  pgrep -f "$HARNESS worker" >/dev/null && problem "$signal: a worker outlived the run"
  expect 2 "$HARNESS" run suite.yaml --store $store --continue --samples 7
  says "--continue"
  # Neither another machine nor other uncommitted changes may be mixed in.
  speeds 100
  expect 4 "$HARNESS" run suite.yaml --store $store --continue --device scripted:speed.json
  says "the record to continue was measured on"
  echo "# changed" >>.gitignore
  expect 4 "$HARNESS" run suite.yaml --store $store --continue
  git checkout -q .gitignore
  expect 0 "$HARNESS" run suite.yaml --store $store --continue --report junit=$signal.xml --output $signal.json
  python3 - "$signal.json" <<'PY' || problem "$signal: the continued record is not whole"
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    assert case["outcome"] == "measured", case["reason"]
    assert len(case["metrics"][0]["processes"]) == 30
PY
  expect 4 "$HARNESS" run suite.yaml --store $store --continue
  says "no unfinished run"
done
finish
