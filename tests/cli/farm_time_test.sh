#!/usr/bin/env bash
# Tasks that take longer than an element has: they are cut in half until they fit; a case alone that does not is told. Processes
# that an ended element has of every case are kept. Elements are held where their time ends.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right slow held also_right
sed -i 's/n: \[64\]/n: [32]/; s/timeout: 5s/timeout: 300s/' suite.yaml
slower_change
cp base.db run.db
expect 1 run --against main --store run.db --measure all --no-confirm --looks 5,6 --report json=run.json
cat >kinds.py <<'PY'
import sqlite3, sys
with sqlite3.connect("farm.db") as database:
    print(*(":".join(map(str, row)) for row in database.execute(sys.argv[1])))
PY
sqlite() { python3 kinds.py "$1"; }
farm() { "$HARNESS" farm "$@" --store farm.db; }
# Later looks are planned, so a task to judge is there, which must stay the last.
plan() { expect 0 farm plan suite.yaml --against main --device scripted:speed.json --block 4 --lease 1h --measure all --no-confirm --looks "$1"; }
tasks() { sqlite "select first_case, case_count from tasks where kind = 'measure' and done = 0 order by first_case"; }

# end_of_time: an element that is ended while the case `held` holds it.
end_of_time() {
  local status=0 began=${EPOCHREALTIME/./}
  hold
  "$HARNESS" farm work --store farm.db --quiet >work.log 2>&1 &
  eventually are_held 1
  # The task at hand takes most of the element's time.
  half_is_over() { [ $((${EPOCHREALTIME/./} - held)) -gt $((held - began)) ]; }
  local held=${EPOCHREALTIME/./}
  eventually half_is_over
  kill -TERM $!
  wait $! || status=$?
  let_go
  same "the exit status" $status 130
  same "the last task" "$(sqlite "select kind from tasks order by number desc limit 1")" judge
}
plan 5,6
same "tasks" "$(tasks)" "0:4"
end_of_time
same "tasks" "$(tasks)" "0:2 2:2"
# The half that has the case `held` is cut again, and then the case alone is given back.
end_of_time
same "tasks" "$(tasks)" "2:1 3:1"
end_of_time
same "tasks" "$(tasks)" "2:1 3:1"
same "tasks that were measured in vain" "$(sqlite "select first_case from tasks where spent > 0 and done = 0")" 2

# Nobody with so little time takes it. The others are done, and the reason is told.
expect 4 farm work --quiet --time 1ms
expect 0 farm status --report json=status.json
holds status.json 'report["in_vain"] > 0' 'report["leased"] == 0'
# With more time all is done, and each result is there once.
expect 0 farm work --quiet --time 1h
expect 1 farm judge --report json=farm.json
same_verdicts
expect 0 farm status --report json=status.json
holds status.json 'report["stored"] == report["results"] == 20' 'report.get("in_vain", 0) == 0'

# The time ends in the third process of the cases: the two before are stored, and are not measured again.
rm farm.db
cp base.db farm.db
plan 5,6
hold_after 2
"$HARNESS" farm work --store farm.db --quiet >work.log 2>&1 &
eventually are_held 3
kill -TERM $!
wait $! || true
let_go
same "results that are kept" "$(sqlite "select count(*) from results where run = (select id from runs where state = 'farmed')")" 8
same "the rest" "$(sqlite "select case_count, processes_before, processes, results from tasks where kind = 'measure' and done = 0")" "4:2:3:12"
expect 0 farm work --quiet
expect 1 farm judge --report json=farm.json
same_verdicts
expect 0 farm status --report json=status.json
holds status.json 'report["stored"] == report["results"] == 20'
finish
