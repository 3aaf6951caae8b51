#!/usr/bin/env bash
# Programs whose one observed start finds in files what the baseline's found are not measured.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export HARNESS_SYSTEM_ROOT=$scratch/quiet  # the load of this host is that of other tests
unset PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX  # the program's first start leaves caches beside its sources

repository
speeds 100
# bench: prints what Google Benchmark would. It loads a library and a module, reads a file, and lists a folder. Each start
# leaves a file of another name in starts/. Python lists the folder of the program, so nothing else is in it.
mkdir -p app lib cases starts
cp "$PLUGIN" lib/libwork.so
echo 20 >factor
echo one >cases/one.txt
cat >app/shapes.py <<'PY'
def text():
    return "square"
PY
cat >app/bench <<'PY'
#!/usr/bin/env python3
import ctypes, json, os, sys, time
import shapes
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
open(f"{here}/starts/{os.getpid()}.{time.time_ns()}", "x").close()
ctypes.CDLL(f"{here}/lib/libwork.so")
us = float(open(f"{here}/factor").read()) + len(os.listdir(f"{here}/cases"))
row = lambda name, us: {"name": name, "run_name": name, "run_type": "iteration", "real_time": us, "cpu_time": us, "time_unit": "us"}
text = json.dumps({"context": {}, "benchmarks": [row("BM_sort/8", us), row("BM_copy", 2 * us)]})
open(sys.argv[1], "w").write(text)
PY
chmod +x app/bench
cat >suite.yaml <<'YAML'
version: 2
name: mine
programs:
  - name: bench
    command: [app/bench, "{output}", small]
    env: {COLOUR: red}
    reads: google_benchmark
    inputs: files
    gate: {margin: 1%}
YAML
touch starts/.keep
printf '%s\n' 'starts/*.*[0-9]' __pycache__ '*.json' '!speed.json' >>.gitignore
commit "base"
started() { find starts -name '*.*[0-9]' | wc -l; }
starts() { same "starts of $1" "$(started)" "$2" && rm -f starts/*; }
run() { "$HARNESS" run suite.yaml --device scripted:speed.json --color never "$@"; }
outcomes() { python3 -c '
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    print(case["id"], case["outcome"], *(one["process"] for one in case["results"]))' "$1"; }

# The kernel of some containers lets nobody observe a start: then the command runs as ever, and one sentence says so.
expect 0 run --output base.json
if python3 -c 'import json; exit(not any("files_unseen" in str(r.get("identity")) for c in json.load(open("base.json"))["cases"] for r in c["results"]))'; then
  starts "an unobserved program" 6
  echo "no start can be observed here"
  finish
fi
starts "the baseline" 7  # two of them are observed, since the first leaves Python's caches
python3 - <<'PY' || problem "the record does not tell what the program read"
import json
for case in json.load(open("base.json"))["cases"]:
    first, *others = case["results"]
    rules, _, digest = first["identity"]["digest"].partition(".")
    assert rules == "4" and len(digest) == 32, first["identity"]
    assert not any("identity" in one for one in others)
    if case["id"] == "bench":
        files = first["identity"]["files"]
        for key in ("word:0000", "word:0002", "variable:COLOUR", "file:./app/bench", "file:./factor", "file:./lib/libwork.so", "file:./app/shapes.py", "list:./cases"):
            assert key in files, (key, sorted(files))
        assert not any("starts/" in key or ".git/" in key or key.startswith("file:") and ".pyc" in key for key in files), files
PY

# Unchanged: one start, no sample, exit 0. Times of files do not count; without Python's caches a start makes them first.
git checkout -qb work && echo 1 >note && commit "unchanged"
expect 0 run --against main --output same.json --report json=verdict.json
starts "an unchanged program" 1
same "cases of a proven program" "$(outcomes same.json)" "bench looked_at 0
bench/BM_copy looked_at 0
bench/BM_sort/8 looked_at 0"
holds verdict.json 'report["verdict"] == "identical"' \
  'all(row["verdict"] == "identical" for row in report["cases"])' 'all(row["by_files"] for row in report["cases"])' \
  'any(one["code"] == "files_proof" and one["programs"] == "bench" for one in report["facts"]["remarks"])'
touch factor app/shapes.py lib/libwork.so && rm -rf app/__pycache__
expect 0 run --against main
starts "a program with new times" 2
expect 0 run --against main
starts "a program with caches" 1

# A program that is measured is judged by its times, whatever the files say.
expect 0 run --against main --measure all --report json=verdict.json
holds verdict.json 'all(row["verdict"] != "identical" or row["exact"] for row in report["cases"])' \
  'row("bench/BM_copy", "wall_time")["processes"] == [5, 5]' \
  'row("bench/BM_copy", "wall_time")["unproven"]["why"]["code"] == "measured"'
starts "a program that is measured" 6

# unproven CHANGE NAME STATUS COMMAND...: after the command the program is measured, and the first difference is named.
unproven() {
  local change=$1 name=$2 status=$3
  shift 3
  "$@"
  expect "$status" run --against main --report json=verdict.json
  [ "$change" = word ] || names "$name"
  holds verdict.json "row('bench', 'process_time')['unproven']['why']['code'] == 'other_files'" \
    "row('bench', 'process_time')['unproven']['why']['change'] == '$change'" \
    "row('bench', 'process_time')['unproven']['why']['name'] == '$name'" \
    "row('bench/BM_copy', 'wall_time')['processes'] == [5, 5]"
  [ "$(started)" -ge 7 ] || problem "$change: not measured"  # a look, an observed start and five
  rm -f starts/* && git checkout -q . && git clean -qfd
}
unproven content ./app/bench 0 sh -c 'echo "# a comment" >>app/bench'
unproven content ./factor "0 1" sh -c 'echo 20.0 >factor'
unproven content ./app/shapes.py 0 sed -i 's/square/circle/' app/shapes.py
unproven content ./lib/libwork.so 0 cp "$PLUGIN_NEXT" lib/libwork.so
unproven names ./cases "0 1" touch cases/two.txt
unproven setting prepare "0 4" sed -i 's/    reads:/    prepare: "true"\n    reads:/' suite.yaml
unproven word 0002 "0 4" sed -i 's/small/large/' suite.yaml
unproven variable COLOUR "0 4" sed -i 's/red/blue/' suite.yaml

# A start that leaves a cache which the next one finds is followed by another one, once.
sed -i 's/^import shapes/import shapes\nif not os.path.exists("cache"): open("cache", "w").write("1")/' app/bench
commit "a cache"
expect 0 run --save-as cached
rm -f starts/*
expect 0 run --against @cached
starts "a program whose cache is there" 1
rm cache
expect 0 run --against @cached
starts "a program without its cache" 2

# `ab`: a start of each commit, each in its own folder. The proof counts where the baseline's suite asks for it.
sed -i 's/    inputs: files/    inputs: files\n    build: "true"/' suite.yaml
commit "a build"
echo 2 >note && commit "unchanged again"
ab() { "$HARNESS" ab suite.yaml --device scripted:speed.json --color never --report json=ab.json "$@"; }
expect 0 ab --baseline HEAD~1
holds ab.json 'report["verdict"] == "identical"' 'all(row["processes"] == [0, 0] for row in report["cases"])'
git checkout -q HEAD~1 && sed -i '/inputs: files/d' suite.yaml && commit "nobody asks for it"
git checkout -q work -- suite.yaml
commit "the change asks for it"
expect 0 ab --baseline HEAD~1
holds ab.json 'row("bench/BM_copy", "wall_time")["processes"] == [5, 5]' \
  'row("bench/BM_copy", "wall_time")["unproven"]["why"]["code"] == "files_unasked"'
finish
