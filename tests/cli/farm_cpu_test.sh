#!/usr/bin/env bash
# A campaign with cases of GPUs and of the CPU. Elements share the CPU while they measure on their GPUs. Tasks of the CPU come
# last, and an element has it alone then. Stand-ins take the place of GPUs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
stand_in_suite 'gpus: 1, n: [64, 65, 66, 67]' 1
cat >>suite.yaml <<'YAML'
  - workload: twice
    variants: [right]
    axes: {n: [64, 65]}
    sampling: {processes: 1, placements: 1, samples: 10, cache: hot, preheat: 0ms}
YAML
stand_in_gpus 2
farm() { "$HARNESS" farm "$@" --store farm.db; }
plan() { expect 0 farm plan suite.yaml --block 2 --looks 1 --no-confirm; }
work() { farm work --quiet "$@"; }
# tasks COLUMNS: those columns of each task.
tasks() { python3 -c 'import sqlite3, sys; print(*(":".join(map(str, row)) for row in sqlite3.connect("farm.db").execute(f"SELECT {sys.argv[1]} FROM tasks ORDER BY number")))' "$1"; }

plan
same "the tasks: cases and GPUs" "$(tasks case_count,gpus)" "2:1 2:1 2:0"

# Another element shares the CPU: this one measures on its GPU, then waits without a task until it has the CPU alone.
exec 9>"$HARNESS_LOCK_DIR/harness-cpu.lock"
flock -sn 9 || problem "the lock is not free"
work >work.log 2>&1 9>&- &
element=$!
measured() { [ "$(tasks done)" = "1 1 0" ]; }
eventually measured
sleep 0.5
kill -0 $element 2>/dev/null || problem "it did not wait: $(cat work.log)"
same "what is taken" "$(tasks taken)" "1 1 0"
exec 9>&-
wait $element || problem "it failed: $(cat work.log)"
same "what is done" "$(tasks done)" "1 1 1"
expect 0 farm status --report json=status.json
holds status.json 'report["stored"] == report["results"] == 6'

# A run that has the CPU alone is disturbed by nothing, because inputs and right answers are made by the CPU.
plan
exec 9>"$HARNESS_LOCK_DIR/harness-cpu.lock"
flock -n 9 || problem "the lock is not free"
rm opened
expect 2 work --wait 0
names --wait
absent opened
exec 9>&-
expect 0 work

# Only the GPU is checked by probes, because others use the CPU meanwhile: also where its cases are of a later suite.
probed() { python3 -c 'import json, sqlite3; (content,), = sqlite3.connect("farm.db").execute("SELECT content FROM campaigns ORDER BY sequence DESC LIMIT 1"); print(*(one["device"] for suite in json.loads(content)["suites"] for one in suite.get("probes", [])))'; }
same "probes" "$(probed)" "cuda cuda cuda"
cat >cpu.yaml <<'YAML'
version: 2
name: threads
modules: [./plugin.so]
cases:
  - {workload: twice, variants: [right], axes: {n: [64, 65]}}
YAML
expect 0 farm plan cpu.yaml suite.yaml
same "probes of two suites" "$(probed)" "cuda cuda cuda"
expect 0 farm plan cpu.yaml
same "probes of a CPU" "$(probed)" "cpu cpu"

# They are of the suite where they move the fewest bytes.
probed_suites() { python3 -c 'import json, sqlite3; (content,), = sqlite3.connect("farm.db").execute("SELECT content FROM campaigns ORDER BY sequence DESC LIMIT 1"); print(*(number for number, suite in enumerate(json.loads(content)["suites"]) if suite.get("probes")))'; }
sed 's/name: shared/name: larger/; s/n: \[64,/n: [64000,/' suite.yaml >larger.yaml
expect 0 farm plan larger.yaml suite.yaml
same "the suite of the probes" "$(probed_suites)" "1"
expect 0 farm plan suite.yaml larger.yaml
same "the suite of the probes, in the other order" "$(probed_suites)" "0"

# Also where the budget leaves out all cases of GPUs, because they took too long before: nothing else is measured then.
expect 0 "$HARNESS" run suite.yaml --store farm.db
python3 - <<'PY'
import json, os, sqlite3, sys
sys.path.insert(0, os.environ["TESTS"])
from checksums import checksum
store = sqlite3.connect("farm.db")
for run, position, text in store.execute("SELECT run, position, result FROM results WHERE json_extract(result, '$.case') LIKE 'shared/%'").fetchall():
    result = json.loads(text)
    result["phases"] = {"sampling": 1e5}
    text = json.dumps(result)
    store.execute("UPDATE results SET result = ?, checksum = ? WHERE run = ? AND position = ?", (text, checksum(text), run, position))
store.commit()
PY
expect 0 farm plan suite.yaml --budget 1h
same "probes within a budget" "$(probed)" "cpu cpu"

# An element that waits for the CPU has verified its GPU, and does not give up when the first wait would have been too long.
rm farm.db
plan
exec 9>"$HARNESS_LOCK_DIR/harness-cpu.lock"
flock -sn 9 || problem "the lock is not free"
work --wait 1ms >work.log 2>&1 9>&- &
element=$!
eventually measured
verified() { [ "$(python3 -c 'import sqlite3; print(*(row[0] for row in sqlite3.connect("farm.db").execute("SELECT verified FROM elements WHERE campaign = (SELECT id FROM campaigns ORDER BY sequence DESC LIMIT 1)")))')" = 1 ]; }
eventually verified
sleep 0.5
expect 0 farm status --report json=status.json
holds status.json '"waiting" not in report or not report["waiting"]'
exec 9>&-
wait $element || problem "it failed: $(cat work.log)"
same "what is done at last" "$(tasks done)" "1 1 1"

# A task of a GPU is free again while an element measures on the CPU: it does not leave that task to others.
plan
change() { python3 -c 'import sqlite3, sys; store = sqlite3.connect("farm.db"); store.execute(sys.argv[1]); store.commit()' "$1"; }
newest() { python3 -c 'import sqlite3; print(*(row[0] for row in sqlite3.connect("farm.db").execute("SELECT done FROM tasks WHERE campaign = (SELECT id FROM campaigns ORDER BY sequence DESC LIMIT 1) ORDER BY number")))'; }
change "UPDATE tasks SET holder = 'killed', taken = 1, expires = 1e12 WHERE done = 0 AND number = 1"
exec 9>"$HARNESS_LOCK_DIR/harness-cpu.lock"
flock -sn 9 || problem "the lock is not free"
work --leave >work.log 2>&1 9>&- &
element=$!
second() { [ "$(newest)" = "0 1 0" ]; }
eventually second
eventually verified
change "UPDATE tasks SET expires = 0 WHERE done = 0 AND number = 1"
exec 9>&-
wait $element || problem "it failed: $(cat work.log)"
same "what is done with --leave" "$(newest)" "1 1 1"
finish
