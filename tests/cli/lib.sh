# shellcheck shell=bash disable=SC2154  # scratch and printed are those of tests/lib.sh
# Sourced by the command-line tests. HARNESS is the program, PLUGIN the test plugin.
: "${HARNESS:?path of the harness program}" "${PLUGIN:?path of the test plugin}"
if ! [ -x "$HARNESS" ] || ! [ -f "$PLUGIN" ]; then echo "not built: $HARNESS, $PLUGIN" >&2; exit 1; fi
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck disable=SC2034  # the tests use it
data=$tests/data

# workers: the processes of `harness worker` that this test started, whoever their parent is now.
workers() {
  local found command
  # shellcheck disable=SC2013  # a path in /proc has no space
  for found in $(grep -lzxF "HARNESS_TEST_FOLDER=$scratch" /proc/[0-9]*/environ 2>/dev/null); do
    command=$({ tr "\0" " " <"${found%environ}cmdline"; } 2>/dev/null)
    [[ $command != */harness" worker "* ]] || basename "$(dirname "$found")"
  done
}
has_worker() { [ -n "$(workers)" ]; }
has_no_worker() { [ -z "$(workers)" ]; }

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# results STORE: how many results the store holds.
results() {
  python3 -c 'import sqlite3,sys; print(sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).execute("select count(*) from results").fetchone()[0])' "$1" 2>/dev/null || echo 0
}
has_results() { [ "$(results "$1")" -ge "$2" ]; }

# unread STORE CASE... : the records of the store hold no launches of the cases whose ids have this in them, as those of
# a kernel that nobody can read.
unread() {
  python3 - "$@" <<'PY'
import json, os, sqlite3, sys
sys.path.insert(0, os.environ["TESTS"])
from checksums import checksum
store = sqlite3.connect(sys.argv[1])
for run, position, name in store.execute("SELECT run, position, id FROM cases").fetchall():
    if not any(part in name for part in sys.argv[2:]):
        continue
    where = "WHERE run = ? AND position = ?"
    for process, text in store.execute("SELECT process, result FROM results " + where, (run, position)).fetchall():
        result = json.loads(text)
        if "identity" in result:
            result["identity"] = {"gap": {"code": "calls_differ"}}
        text = json.dumps(result)
        store.execute("UPDATE results SET result = ?, checksum = ? " + where + " AND process = ?", (text, checksum(text), run, position, process))
    store.execute("UPDATE cases SET digest = '-' " + where, (run, position))
store.commit()
PY
}

# repository: an empty git repository here, branch main, with the store ignored.
repository() {
  git init -q -b main .
  echo .harness/ >.gitignore
  cp "$PLUGIN" plugin.so
  echo plugin.so >>.gitignore
}

commit() {
  git add -A
  git commit -qm "$1"
}

# no_trees_left: a build of a commit leaves no worktree and no files.
no_trees_left() {
  [ "$(git worktree list | wc -l)" -eq 1 ] || problem "a worktree is left: $(git worktree list)"
  [ -z "$(ls .harness/worktrees 2>/dev/null)" ] || problem "files are left: $(ls .harness/worktrees)"
}

# speeds MICROSECONDS [PROCESS_SD] [DEVICE]: what the scripted device replays for every case.
speeds() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "${3:-GPU-A}",
 "cases": [{"match": "*", "us": $1, "process_sd": ${2:-0.001}, "sample_sd": 0.01, "first_call_us": 5000}]}
JSON
}

# suite VARIANT...: a suite of these variants of the plugin's workload.
suite() {
  local variants
  variants=$(IFS=,; echo "$*")
  cat >suite.yaml <<YAML
version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 3, samples: 20, cache: hot, preheat: 0ms, timeout: 5s}
cases:
  - workload: twice
    variants: [$variants]
    axes: {n: [64]}
YAML
}

run() { "$HARNESS" run suite.yaml --device scripted:speed.json "$@"; }

# hold, let_go: in between, who measures the variant `held` stays in the middle of it, for as long as its timeout allows.
# Probes of a campaign are the first, the middle and the last case of its plan: `held` must be none of these.
# hold_after COUNT: likewise, but so many processes pass before.
hold_after() { rm -rf "$scratch/held" && mkdir "$scratch/held" && echo "$1" >"$scratch/hold"; }
hold() { hold_after 0; }
let_go() { rm -f "$scratch/hold"; }
are_held() { [ "$(find "$scratch/held" -type f | wc -l)" -ge "$1" ]; }

# has_checked STORE: no living element of the newest campaign has still to check its device.
has_checked() { "$HARNESS" farm status --store "$1" --report json=checked.json >/dev/null && ! grep -q '"checking"' checked.json; }

# slower_change: a suite that main measured, a branch that is 3 % slower, and its verdict in run.json, by a run in one
# piece. Leaves farm.db, which a campaign is to begin with. The suite is there already.
slower_change() {
  speeds 100
  commit "fast"
  expect 0 run --store base.db
  git checkout -qb change
  speeds 103
  commit "slower"
  cp base.db run.db
  cp base.db farm.db
  expect 1 run --against main --store run.db --measure all --no-confirm --looks 1 --report json=run.json
}

# same_verdicts: farm.json has the verdicts of run.json.
same_verdicts() {
  python3 - <<'PY' || problem "the verdicts differ"
import json
one, other = (json.load(open(file)) for file in ("run.json", "farm.json"))
keep = ("case", "metric", "verdict", "ratio", "interval", "p", "p_adjusted", "processes")
assert [[row.get(k) for k in keep] for row in one["cases"]] == [[row.get(k) for k in keep] for row in other["cases"]]
assert one["verdict"] == other["verdict"]
PY
}

# traced_suite: a repository with a suite of one program under the trace. FAKE_TRACED stands in for the program and writes
# the trace files, so all times are scripted. `step` is to hold what it launches; `run` uses no colour.
traced_suite() {
  : "${FAKE_TRACED:?the stand-in for a program under the trace}"
  repository
  speeds 100
  export HARNESS_TRACE_LIBRARY=$FAKE_TRACED  # the stand-in needs none, but one must be there
  cat >suite.yaml <<YAML
version: 2
name: llm
programs:
  - name: train
    command: [$FAKE_TRACED, step, "30"]
    reads: cuda_trace
    gate: {margin: 0.5%}
YAML
  run() { "$HARNESS" run suite.yaml --device scripted:speed.json --color never "$@"; }
}

# gpu_suite: writes gpu.yaml, a suite whose one case needs a GPU.
gpu_suite() {
  cat >gpu.yaml <<'YAML'
version: 2
name: gpu
cases:
  - workload: linear_gelu
    variants: [cublas_unfused]
    axes: {dtype: [f16], m: [64], n: [64], k: [64]}
YAML
}

# stand_in_gpus COUNT: this host has GPU-0, GPU-1, ... by stand-ins for NVML (the file `nvml`) and for the CUDA module. Each
# process that opens some adds a line to `opened`.
stand_in_gpus() {
  : "${FAKE_CUDA_MODULE:?}" "${FAKE_NVML_LIBRARY:?}"
  local gpu
  for gpu in $(seq 0 $(($1 - 1))); do printf 'gpu\nuuid GPU-%s\nname NVIDIA H200\n' "$gpu"; done >nvml
  ln -s "$FAKE_NVML_LIBRARY" libcuda.so.1  # a driver must be there, and the stand-in calls none
  export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export HARNESS_CUDA_MODULE=$FAKE_CUDA_MODULE HARNESS_NVML=$FAKE_NVML_LIBRARY FAKE_NVML=$work/nvml FAKE_CUDA_LOG=$work/opened
  unset CUDA_VISIBLE_DEVICES
}

# stand_in_suite AXES PROCESSES: a suite of a variant for these GPUs.
stand_in_suite() {
  cat >suite.yaml <<YAML
version: 2
name: shared
modules: [./plugin.so]
cases:
  - workload: shared
    variants: [on_gpus]
    axes: {$1}
    sampling: {processes: $2, placements: 1, samples: 10, cache: hot, preheat: 0ms}
YAML
}

# counted COMMAND... : runs it. The dynamic linker writes a file for each process that it starts.
counted() {
  rm -rf linked && mkdir linked
  LD_DEBUG=libs LD_DEBUG_OUTPUT=$work/linked/by "$@"
}
# programs: how many processes of harness the last counted command had.
programs() { grep -l 'initialize program: .*/harness$' linked/* | wc -l; }

# two_builds: one/ and other/ with the program and the kernels, as builds of two commits have them.
two_builds() {
  local folder
  for folder in one other; do
    mkdir -p $folder/lib $folder/bin
    cp "$KERNELS" $folder/lib/libharness_kernels.so
    ln -s "$HARNESS" $folder/bin/harness
  done
}
