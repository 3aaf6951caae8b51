#!/usr/bin/env bash
# A campaign with cases of several GPUs: an element locks as many as its task needs, and one that has too few leaves such
# tasks to others. Scripted devices stand for GPUs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

repository
cat >suite.yaml <<'YAML'
version: 2
name: team
defaults: {sampling: {processes: 3, placements: 1, samples: 10, cache: hot, preheat: 0ms}}
cases:
  - {workload: all_reduce, variants: [threads], axes: {n: [64, 65, 66], gpus: [2, 1]}}
YAML
for device in A B; do
  cat >$device.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-$device",
 "cases": [{"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
done
two_builds
farm() { "$HARNESS" farm "$@" --store farm.db; }
plan_judged() {
  expect 0 farm plan suite.yaml --baseline-build one --current-build other --device scripted:A.json,scripted:B.json \
    --measure all "$@"
}
plan() { plan_judged --looks 1 --no-confirm "$@"; }
# Devices of a script are locked where somebody may wait for them.
work() { farm work --quiet --wait 60s --device "$1" "${@:2}"; }
# tasks: number, cases and GPUs of each task.
tasks() { python3 -c 'import sqlite3; print(*("%d:%d:%d" % row for row in sqlite3.connect("farm.db").execute("SELECT number, case_count, gpus FROM tasks ORDER BY number")))'; }

# Cases of one GPU share a task, those of two another one, and come last. Expected elements make the last tasks smaller.
plan
same "the tasks" "$(tasks)" "1:3:1 2:3:2"
rm farm.db
plan --elements 2 --block 2
same "the tasks for two elements" "$(tasks)" "1:1:1 2:1:1 3:1:1 4:1:2 5:1:2 6:1:2"
rm farm.db

# While another run has the second GPU, the first does all that it can alone.
plan
python3 - "$HARNESS" <<'PY' || problem "an element does not lock what its task needs"
import fcntl, glob, os, sqlite3, subprocess, sys, time

def element(*devices):
    return [sys.argv[1], "farm", "work", "--store", "farm.db", "--quiet", "--wait", "60s", "--device",
            ",".join(f"scripted:{one}.json" for one in devices)]
# Both locks, by name: those of a run on each.
locks = {}
for one in "AB":
    before = set(glob.glob(os.environ["HARNESS_LOCK_DIR"] + "/harness-*.lock"))
    subprocess.run([sys.argv[1], "run", "suite.yaml", "--filter", "*/gpus=1*", "--device", f"scripted:{one}.json", "--wait", "0",
                    "--processes", "1", "--store", "other.db"], check=True, capture_output=True)
    locks[one], = set(glob.glob(os.environ["HARNESS_LOCK_DIR"] + "/harness-*.lock")) - before
held = open(locks["B"])
fcntl.flock(held, fcntl.LOCK_EX)
working = subprocess.Popen(element("A", "B"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
def done():
    return [row[0] for row in sqlite3.connect("farm.db").execute("SELECT done FROM tasks ORDER BY number")]
for _ in range(600):
    if done() == [1, 0]:
        break
    time.sleep(0.1)
assert done() == [1, 0], done()
# It waits for the second GPU, and holds no task meanwhile.
time.sleep(0.5)
assert working.poll() is None and done() == [1, 0]
taken, = sqlite3.connect("farm.db").execute("SELECT taken FROM tasks WHERE number = 2").fetchone()
assert taken == 0, taken
fcntl.flock(held, fcntl.LOCK_UN)
out, _ = working.communicate(timeout=60)
assert working.returncode == 0 and "the campaign is finished" in out, out
assert done() == [1, 1]
PY
expect 0 farm judge --allow inconclusive
expect 0 farm status --report json=status.json
holds status.json 'report["stored"] == report["results"] == 36'

# An element of one GPU does its part, and says what the rest needs.
rm farm.db
plan
expect 0 work scripted:B.json
names --device
same "the tasks that are done" "$(python3 -c 'import sqlite3; print(sqlite3.connect("farm.db").execute("SELECT sum(done) FROM tasks").fetchone()[0])')" 1
expect 4 farm judge
expect 0 work scripted:A.json,scripted:B.json
expect 0 farm judge --allow inconclusive

# Where judging may add tasks, it waits for the time of a lease.
rm farm.db
plan_judged --lease 3s
work scripted:B.json >alone.log 2>&1 &
alone=$!
measured() { [ "$(python3 -c 'import sqlite3; print(sqlite3.connect("farm.db").execute("SELECT sum(done) FROM tasks").fetchone()[0])')" = 1 ]; }
eventually measured
sleep 1
kill -0 $alone 2>/dev/null || problem "it ended before a lease had passed: $(cat alone.log)"
wait $alone || problem "it failed: $(cat alone.log)"

# Two elements whose GPUs are the same ones, in another order: nobody waits for ever.
for _ in 1 2 3; do
  rm farm.db
  plan --block 1
  work scripted:A.json,scripted:B.json >first.log 2>&1 &
  expect 0 work scripted:B.json,scripted:A.json
  wait $! || problem "an element failed: $(cat first.log)"
  expect 0 farm judge --allow inconclusive
  expect 0 farm status --report json=status.json
  holds status.json 'report["stored"] == report["results"] == 36'
done

# Where the time of that campaign went, and of one that nobody has measured yet.
plan --block 1
expect 0 python3 "$tests/farm/phases.py" farm.db
names process_start sampling
same "its last line" "$(python3 "$tests/farm/phases.py" farm.db | tail -1)" "| cases that failed | 0 | 0 |"
expect 2 python3 "$tests/farm/phases.py" other.db
names other.db

# An element keeps its device from task to task, and offers it to others meanwhile: every quarter of a lease.
rm farm.db
plan --block 1 --lease 1s --processes 30
python3 - "$HARNESS" <<'PY' || problem "an element does not offer its device"
import fcntl, glob, os, sqlite3, subprocess, sys, time

working = subprocess.Popen([sys.argv[1], "farm", "work", "--store", "farm.db", "--quiet", "--wait", "60s", "--device",
                            "scripted:B.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
def done():
    return sqlite3.connect("farm.db").execute("SELECT sum(done) FROM tasks WHERE gpus = 1").fetchone()[0]
def taken(lock):
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
while done() == 0:
    assert working.poll() is None, working.communicate()
    time.sleep(0.01)
locks = [open(name) for name in glob.glob(os.environ["HARNESS_LOCK_DIR"] + "/harness-*.lock")]
while not all(taken(lock) for lock in locks):
    time.sleep(0.01)
assert done() < 3, "only when it had measured all"
for lock in locks:
    lock.close()
working.communicate(timeout=60)
assert done() == 3
PY
finish
