#!/usr/bin/env bash
# Programs as cases. A program whose verdict counts prints scripted times, so that none rests on real timing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export HARNESS_SYSTEM_ROOT=$scratch/quiet  # the load of this host is that of other tests

repository
speeds 100
# bench.py: a program with Google Benchmark's output. Each start has the next of five noises; `factor` slows it.
cat >bench.py <<'PY'
import json, pathlib, sys
folder = pathlib.Path(__file__).resolve().parent
count = folder / "count"
start = int(count.read_text()) if count.exists() else 0
count.write_text(str(start + 1))
factor = float((folder / "factor").read_text())
noise = 1 + 0.0005 * ((start * 7) % 5 - 2)
row = lambda name, us: {"name": name, "run_name": name, "run_type": "iteration", "real_time": us * noise,
                        "cpu_time": us * noise, "time_unit": "us"}
text = json.dumps({"context": {}, "benchmarks": [row("BM_sort/8", 50), row("BM_copy", 20 * factor)]})
print("starting", file=sys.stderr)
if len(sys.argv) > 1: pathlib.Path(sys.argv[1]).write_text(text)
else: print(text)
PY
printf 'count\nbuilt\n' >>.gitignore
echo 1 >factor
cat >suite.yaml <<'YAML'
version: 2
name: mine
programs:
  - name: bench
    command: [python3, bench.py, "{output}"]
    reads: google_benchmark
    gate: {margin: 1%}
  - {name: plain, command: [sh, -c, "echo $COLOUR $GITHUB_TOKEN >>seen"], env: {COLOUR: red}, sampling: {processes: 2}}
YAML
run() { "$HARNESS" run suite.yaml --device scripted:speed.json --color never "$@"; }

# A run: each benchmark is a case, with a replicate a start; the program has its own.
export GITHUB_TOKEN=secret
expect 0 run --report json=run.json --output record.json
names bench/BM_sort/8 bench/BM_copy plain
same "starts" "$(cat count)" 5
same "the environment" "$(sort -u seen)" red
python3 - <<'PY' || problem "the record is not as it should be"
import json
record = json.load(open("record.json"))
cases = {one["id"]: one for one in record["cases"]}
assert list(cases) == ["bench", "plain", "bench/BM_sort/8", "bench/BM_copy"], list(cases)
metrics = {id: [m["metric"] for m in one["metrics"]] for id, one in cases.items()}
assert metrics["plain"] == ["wall_time", "user_time", "system_time", "peak_memory"], metrics
assert metrics["bench"][0] == "process_time", metrics
assert metrics["bench/BM_copy"] == ["wall_time", "cpu_time"], metrics
assert cases["plain"]["program"]["env"] == {"COLOUR": "red"}
assert len(cases["bench/BM_copy"]["results"]) == 5
PY
expect 0 "$HARNESS" list suite.yaml --device scripted:speed.json
names bench plain

# Stored records are compared, explained and listed like others.
git add -A && git commit -qm first
expect 0 run --filter bench --save-as before
echo 1.05 >factor
expect 1 run --filter bench --against @before --save-as after --report json=verdict.json
holds verdict.json 'row("bench/BM_copy", "wall_time")["verdict"] == "regressed"' \
  'row("bench/BM_sort/8", "wall_time")["verdict"] in ("unchanged", "not_worse")'
same "starts, those to confirm included" "$(cat count)" 20
expect 0 "$HARNESS" explain bench/BM_copy --baseline @before --current @after
expect 0 "$HARNESS" history bench/BM_copy
names bench/BM_copy

# Two commits, each built once in its own folder and measured in turn.
cat >suite.yaml <<'YAML'
version: 2
name: mine
programs:
  - {name: bench, command: [python3, ./built], build: cp bench.py built && echo >>/dev/null, reads: google_benchmark, gate: {margin: 1%}}
YAML
echo 1 >factor
commit "as fast as ever"
echo 1.05 >factor
commit "slower"
ab() { "$HARNESS" ab suite.yaml --device scripted:speed.json --color never "$@"; }
expect 1 ab --baseline HEAD~1 --report json=ab.json
holds ab.json 'report["pairing"] == "session"' 'row("bench/BM_copy", "wall_time")["verdict"] == "regressed"'
expect 0 ab --baseline HEAD
no_trees_left
expect 2 ab --baseline HEAD~1 --pair process
names --pair
expect 2 ab --baseline-build . --current-build .

# Two commands. One process a side is no evidence; a failure is told.
commands() { "$HARNESS" ab --device scripted:speed.json --color never "$@"; }
expect 3 commands --baseline-command true --current-command 'true; true' --processes 1
names command
expect 5 commands --baseline-command true --current-command 'echo no model; exit 7' --processes 1
names 7
expect 2 commands --baseline-command true
expect 2 commands
expect 2 commands suite.yaml --baseline-command true --current-command true

# A program that fails, hangs, leaves something behind, or writes nonsense.
cat >bad.yaml <<'YAML'
version: 2
name: bad
defaults: {sampling: {processes: 2}}
programs:
  - {name: fails, command: [sh, -c, "echo the-last-line; exit 3"]}
  - {name: hangs, command: [sh, -c, "sleep 1234 & sleep 1234"], timeout: 300ms}
  - {name: leaves, command: [sh, -c, "sleep 1235 & exit 0"]}
  - {name: absent, command: [./absent]}
  - {name: odd, command: [echo, nonsense], reads: google_benchmark}
YAML
expect 5 "$HARNESS" run bad.yaml --device scripted:speed.json --output bad.json
names the-last-line
python3 - <<'PY' || problem "the outcomes are not as they should be"
import json
found = {one["id"]: (one["outcome"], one.get("reason", {}).get("code", "")) for one in json.load(open("bad.json"))["cases"]}
wanted = {"fails": ("failed", "program_ended"), "hangs": ("timed_out", "timed_out"), "leaves": ("measured", ""),
          "absent": ("failed", "program_not_started"), "odd": ("failed", "program_output")}
assert found == wanted, found
PY
! pgrep -f 'sleep 123[45]' >/dev/null || problem "a process is left: $(pgrep -af 'sleep 123[45]')"

# Mistakes have their line.
sed 's/version: 2/version: 1/' suite.yaml >old.yaml
expect 2 "$HARNESS" list old.yaml
names old.yaml:1:10
sed 's/google_benchmark/cuda_tracer/' suite.yaml >trace.yaml
expect 2 "$HARNESS" list trace.yaml
names trace.yaml:4 cuda_tracer google_benchmark nvbench

# time: an ad hoc suite that keeps nothing.
timed() { "$HARNESS" time --device scripted:speed.json "$@"; }
expect 0 timed --runs 3 --warmup 1 --prepare 'echo >>prepared' --cleanup 'echo {n} >>cleaned' --parameter-list n 1,2 \
  --report json=time.json -- sh -c 'echo {n} >>ran'
same "starts of 1" "$(grep -c 1 ran)" 4
same "starts of 2" "$(grep -c 2 ran)" 4
same "prepared" "$(wc -l <prepared)" 8
same "cleaned" "$(xargs <cleaned)" "1 2"
names wall_time user_time system_time peak_memory n=1 n=2
expect 5 timed --runs 2 -- false
expect 2 timed --parameter-list n 1,2 -- true
expect 0 timed --runs 1 --format csv -- true

# A start whose file lacks a benchmark, or tells of another build, does not pass for the others.
cat >uneven.py <<'PY'
import json, os, pathlib, sys
count = pathlib.Path("uneven_count")
start = int(count.read_text()) if count.exists() else 0
count.write_text(str(start + 1))
how = os.environ.get("HOW", "")
names = ["BM_a", "BM_b"]
if how == "lacks" and start == 2: names.remove("BM_b")
rows = [{"name": name, "run_type": "iteration", "real_time": 10 + 0.001 * start, "cpu_time": 10 + 0.001 * start, "time_unit": "us"}
        for name in names]
if how == "fails":
    rows[1] = {"name": "BM_b", "run_type": "iteration", "error_occurred": True, "error_message": "no memory"}
context = {"library_build_type": "debug" if how == "debug" or (how == "mixed" and start == 2) else "release"}
print(json.dumps({"context": context, "benchmarks": rows}))
sys.exit(1 if how == "fails" else 0)
PY
cat >uneven.yaml <<'YAML'
version: 2
name: uneven
programs:
  - {name: uneven, command: [python3, uneven.py], reads: google_benchmark, gate: {margin: 1%}}
YAML
uneven() {
  rm -f uneven_count
  HOW=$1 expect "$2" "$HARNESS" run uneven.yaml --device scripted:speed.json --output "uneven-$1.json"
}
uneven whole 0
uneven lacks 5
names uneven/BM_b
uneven fails 5
names uneven/BM_b
holds uneven-fails.json '[len(case["results"]) for case in report["cases"] if case["id"] == "uneven/BM_a"] == [5]'
uneven mixed 5
names library_build_type
uneven debug 0
expect 4 "$HARNESS" compare --baseline uneven-whole.json --current uneven-debug.json
names library_build_type
finish
