#!/usr/bin/env bash
# Elements of a campaign that are killed at random: each result is stored once, and the verdict is that of a run.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right held also_right slow
sed -i 's/n: \[64\]/n: [32, 64]/; s/placements: 3/placements: 2/' suite.yaml
slower_change
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json --block 1 --lease 1s --looks 1 --no-confirm

# Every element is killed at a random moment, and another one takes its place, until five have been killed. Their tasks are
# free again when the leases end.
RANDOM=${HARNESS_TEST_SEED:-1}
elements=()
start() {
  "$HARNESS" farm work --store farm.db --quiet >>elements.log 2>&1 &
  elements+=($!)
}
done_tasks() { python3 -c 'import sqlite3; print(sqlite3.connect("farm.db", timeout=30).execute("select count(*) from tasks where done = 1").fetchone()[0])'; }
start; start; start
for _ in 1 2 3 4 5; do
  sleep "0.$((RANDOM % 6 + 1))"
  victim=$((RANDOM % ${#elements[@]}))
  kill -KILL "${elements[$victim]}" 2>/dev/null
  wait "${elements[$victim]}" 2>/dev/null
  unset "elements[$victim]"
  elements=("${elements[@]}")
  start
done
for element in "${elements[@]}"; do
  wait "$element" || problem "an element that nobody killed failed: $(cat elements.log)"
done
eventually has_no_worker
same "tasks that are done" "$(done_tasks)" 8

expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["stored"] == report["results"] == 40'
eventually has_checked farm.db  # or its lease has ended, where it was killed
expect 1 "$HARNESS" farm judge --store farm.db --report json=farm.json
same_verdicts

# An element that is killed in the middle of a task: the next one of its device does not wait for the end of the lease.
expect 0 "$HARNESS" farm plan suite.yaml --store next.db --device scripted:speed.json --block 1 --lease 1h
hold
"$HARNESS" farm work --store next.db --quiet --wait 1m >>elements.log 2>&1 &
eventually are_held 1
kill -KILL $!
wait $! 2>/dev/null
let_go
eventually has_no_worker
expect 0 timeout 200 "$HARNESS" farm work --store next.db --quiet --wait 1m
expect 0 "$HARNESS" farm status --store next.db --report json=status.json
holds status.json 'report["done"] == report["tasks"] == 8'
finish
