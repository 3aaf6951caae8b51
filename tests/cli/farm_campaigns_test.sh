#!/usr/bin/env bash
# Campaigns as things: whose they are, listed, cancelled, deleted; what `records prune` and `records delete` leave.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right
sed -i 's/n: \[64\]/n: [32, 64]/' suite.yaml
speeds 100
commit "fast"
farm() { "$HARNESS" farm "$@" --store farm.db; }
plan() {
  expect 0 farm plan suite.yaml --device scripted:speed.json --block 1
  id=$(sed -n 's/^campaign \([^:]*\):.*/\1/p' "$printed")
}
sqlite() {
  python3 - "$1" <<'PY'
import sqlite3, sys
with sqlite3.connect("farm.db") as database:
    print(*(row[0] for row in database.execute(sys.argv[1])))
PY
}

# A campaign that is being measured keeps its records.
plan
expect 0 farm work --quiet --tasks 1
expect 0 "$HARNESS" records prune --keep 0 --store farm.db
names "1"
same "records left" "$(sqlite "select count(*) from runs")" 1
expect 2 "$HARNESS" records delete "$(sqlite "select id from runs")" --store farm.db
names farm
expect 0 farm work --quiet
expect 0 farm judge

# A judged one has a record like any other. With its last record the campaign goes, and its tasks.
expect 0 "$HARNESS" records prune --keep 0 --store farm.db
same "records left" "$(sqlite "select count(*) from runs")" 0
same "campaigns, tasks and cases left" "$(sqlite "select count(*) from campaigns union all select count(*) from tasks union all
  select count(*) from campaign_cases")" "0 0 0"

# Listed, cancelled and deleted.
plan
first=$id
plan
expect 0 farm list
names "$first" "$id" waiting
expect 2 farm delete "$id"
names "harness" cancel
expect 2 farm cancel
expect 4 farm cancel 00000000
expect 0 farm cancel "$id"
expect 0 farm list
names cancelled
expect 0 farm work "$id" --quiet
same "tasks that somebody took" "$(sqlite "select sum(taken) from tasks where campaign = '$id'")" 0
expect 4 farm judge "$id"
expect 0 farm delete "${id:0:8}"
same "campaigns left" "$(sqlite "select id from campaigns")" "$first"
same "records left" "$(sqlite "select count(*) from runs")" 1
expect 0 farm work --quiet
expect 0 farm judge
expect 0 farm delete "$first"
same "records left" "$(sqlite "select count(*) from runs where state = 'complete'")" 1

# An element at work ends when its campaign is cancelled, and stores nothing of its task.
suite right held also_right
sed -i 's/timeout: 5s/timeout: 300s/' suite.yaml
commit "held"
plan
hold
"$HARNESS" farm work --store farm.db --quiet --journal journal >work.log 2>&1 &
eventually are_held 1
expect 0 farm cancel "$id"
let_go
wait $! || problem "the element: $(cat work.log)"
grep -q cancelled work.log || problem "it does not say so: $(cat work.log)"
same "tasks that are done" "$(sqlite "select count(*) from tasks where campaign = '$id' and done = 1 and first_case = 1")" 0

# The newest campaign of somebody else, or of another repository, must be named. The verdict would be another suite's.
plan
for change in "owner = 'somebody'" "owner = '$(id -un)', repository = 'https://git.example.org/other'"; do
  sqlite "update campaigns set $change where id = '$id'" >/dev/null
  for command in work status judge; do
    expect 2 farm $command
    names "${id:0:8}"
  done
  expect 0 farm status "$id" --report json=status.json
done
holds status.json "report['repository'] == 'https://git.example.org/other'"
sqlite "update campaigns set repository = '' where id = '$id'" >/dev/null
expect 0 farm work --quiet

# A refused element is told with the reason.
plan
sed 's/GPU-A/GPU-B/' speed.json >other.json
expect 4 farm work --quiet --device scripted:other.json
expect 0 farm status --report json=status.json
holds status.json 'any("GPU-B" in one.get("refused", "") for one in report["elements"])'
finish
