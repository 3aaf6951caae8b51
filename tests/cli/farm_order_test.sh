#!/usr/bin/env bash
# Tasks are as long as earlier records tell: long cases come first, in tasks of few cases.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right
sed -i "s/n: \[64\]/n: [$(seq -s ', ' 32 43)]/; s/timeout: 5s/max_time: 60s, timeout: 300s/" suite.yaml
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "twice/also_right/n=40", "us": 100, "overhead_us": 500000},
 {"match": "*", "us": 100, "overhead_us": 1000}]}
JSON
commit "one case takes far longer"

plan() { "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --block 12 --measure all "$@"; }
# tasks [STORE]: the cases of each task of the newest campaign, in order.
tasks() {
  python3 -S - "${1:-farm.db}" <<'PY'
import json, sqlite3, sys
store = sqlite3.connect(sys.argv[1])
((id,),) = store.execute("SELECT id FROM campaigns ORDER BY sequence DESC LIMIT 1")
cases = [json.loads(content.split("\n")[0])["case"] for content, in
         store.execute("SELECT content FROM campaign_cases WHERE campaign = ? AND suite = 0 ORDER BY place", (id,))]
for first, count in store.execute("SELECT first_case, case_count FROM tasks WHERE campaign = ? AND kind = 'measure' "
                                  "ORDER BY number", (id,)):
    print(*cases[first:first + count])
PY
}

# Nothing is known yet: blocks in the order of the suite, smaller at the end.
expect 0 plan --elements 2
! grep -q 'on 2 devices' "$printed" || problem "nobody can know the time: $(cat "$printed")"
tasks >unknown.txt
[ "$(head -n 1 unknown.txt | wc -w)" = 6 ] || problem "the first of 24 cases: $(cat unknown.txt)"
expect 0 "$HARNESS" farm work --store farm.db --quiet
expect 0 "$HARNESS" farm judge --store farm.db

# Now the long one comes first and alone, so that another element can measure the rest meanwhile. Planning tells how long
# all will take.
expect 0 plan --elements 2
grep -q '; about .* on 2 devices' "$printed" || problem "no time is told: $(cat "$printed")"
tasks >known.txt
[ "$(head -n 1 known.txt)" = twice/also_right/n=40 ] || problem "the first task: $(head -n 1 known.txt)"
[ "$(tr ' ' '\n' <known.txt | sort -u | wc -l)" = 24 ] || problem "not each case once: $(cat known.txt)"
expect 0 "$HARNESS" farm work --store farm.db --quiet
expect 0 "$HARNESS" farm judge --store farm.db

# One element has nothing to share.
expect 0 plan
[ "$(tasks | wc -l)" = 2 ] || problem "tasks of one element: $(tasks)"

# Nobody knows how long 120 other cases take, and they take no time: an element takes the small tasks of the end together, but
# not where somebody says how many cases a task has.
sed "s/n: \[[^]]*\]/n: [$(seq -s ', ' 100 159)]/; s/name: demo/name: short/" suite.yaml >short.yaml
echo '{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [{"match": "*", "us": 100}]}' >short.json
for block in "--block 24" ""; do
  cp farm.db short.db
  # shellcheck disable=SC2086  # two words, or none
  expect 0 "$HARNESS" farm plan short.yaml --store short.db --device scripted:short.json --measure all --elements 2 $block
  planned=$(tasks short.db | wc -l)
  expect 0 "$HARNESS" farm work --store short.db --quiet
  tasks short.db | sed '/^$/d' >measured.txt
  [ "$(tr ' ' '\n' <measured.txt | sort -u | wc -l)" = 120 ] || problem "not each case once"
  left=$(wc -l <measured.txt)
  [ "$planned" -gt 8 ] || problem "$planned tasks are planned"
  if [ -n "$block" ]; then same "the tasks" "$left" "$planned"; else [ "$left" -lt "$planned" ] || problem "all $left tasks are left"; fi
  expect 0 "$HARNESS" farm judge --store short.db
done

# A case that took longer than a job has is told when it is planned. Jobs with more time get tasks that fit.
expect 2 plan --slurm job.sh --sbatch time=2
names suite.yaml twice/also_right/n=40
absent job.sh
expect 0 plan --slurm job.sh --sbatch time=2:00:00
expect 0 plan --slurm job.sh --sbatch time=2 --filter '!*also_right/n=40'
finish
