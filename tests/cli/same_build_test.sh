#!/usr/bin/env bash
# A build that the baseline was measured with needs no look: nothing of it is run again. Another setting, another
# library or another program is another build.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
printf '%s\n' '*.json' >>.gitignore
cat >suite.yaml <<'YAML'
version: 2
name: demo
defaults:
  sampling: {processes: 5, placements: 1, samples: 5, warmup: 1, cache: hot, preheat: 0ms, timeout: 60s}
  gate: {margin: 50%}
cases:
  - workload: convergence
    variant: f32
    metrics: [time, loss_end]
    axes: {d: 32, heads: 2, layers: 1, s: 16, batch: 2, steps: 1, train_steps: 20}
    gate: {metrics: {loss_end: {margin: 0.05 nats}}}
  - workload: probe_gelu
    variant: threads
    axes: {dtype: f32, n: [2048, 4096]}
YAML
run() { "$HARNESS" run suite.yaml --device cpu "$@"; }
# run_against NAME: writes NAME.record.json and NAME.json; what the look found is in `told`.
run_against() {
  expect "${expected:-0}" run --against main --output "$1.record.json" --report "json=$1.json"
  told=$(grep ' identical: ' "$printed" || true)
}
# results_of FILE: "variant outcome processes phases" of each case of a record.
results_of() {
  python3 - "$1" <<'PY'
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    runs = case["results"]
    print(case["variant"], case["outcome"], *(one["process"] for one in runs), any(one.get("phases") for one in runs))
PY
}

commit "first"
expect 0 run --output first.record.json
git checkout -qb change
echo "a change" >note && commit "words"

run_against same
[[ $told == "3 of 3 identical: the same build ("* ]] || problem "the look says: $told"
same "nothing was run" "$(results_of same.record.json)" "f32 looked_at 0 False
threads looked_at 0 False
threads looked_at 0 False"
holds same.json 'report["verdict"] == "identical"' 'report["facts"]["remarks"][0]["code"] == "same_build"' \
  'row("convergence", "loss_end")["verdict"] == "identical"'
expect 0 "$HARNESS" compare --baseline main --current HEAD
echo "more" >>note && commit "more words"
expect 0 run --against HEAD~1 --report json=next.json
holds next.json 'report["verdict"] == "identical"' 'report["facts"]["remarks"][0]["code"] == "same_build"'

# A variable that steers libraries is part of the build. Then launches are read.
OMP_NUM_THREADS=1 run_against steered
[[ $told == *"identical: same machine code, same launches ("* ]] || problem "with another setting: $told"
holds steered.json 'report["verdict"] == "identical"' 'all(one["code"] != "same_build" for one in report["facts"]["remarks"])'

# So is a library that the loader puts into the program.
library=$(ldconfig -p | awk '/libBrokenLocale/ {print $NF; exit}')
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
expect 0 env LD_PRELOAD="$library" "$HARNESS" run suite.yaml --device cpu --against main
silent_about "the same build"

# A program that is replaced between two suites of a run is no longer the one that was hashed.
mkdir own && cp "$HARNESS" own/harness && cp suite.yaml again.yaml && sed -i 's/name: demo/name: again/' again.yaml
expect 0 own/harness run suite.yaml again.yaml --device cpu --store own.db --save-as first
own() { own/harness run suite.yaml again.yaml --device cpu --store own.db --against @first; }
expect 0 own
[ "$(grep -c 'the same build (' "$printed")" -eq 2 ] || problem "a copy of the program does not know its build"
rm -rf own again.yaml own.db

# All the same when asked for.
expect 0 run --against main --measure all --output all.record.json
same "--measure all" "$(results_of all.record.json)" "f32 measured 1 2 3 4 5 True
threads measured 1 2 3 4 5 True
threads measured 1 2 3 4 5 True"

# A case that is new, or has other parameters, is measured.
sed -i 's/n: .2048, 4096./n: [2048, 4096, 5000]/' suite.yaml
commit "another size"
expected=4 run_against more
[[ $told == "3 of 4 identical: the same build ("*"; measuring 1"* ]] || problem "with a new case: $told"

# The cases of a user's module may have changed without this program.
cat >module.yaml <<'YAML'
version: 2
name: module
modules: [./plugin.so]
defaults:
  sampling: {processes: 3, placements: 1, samples: 5, warmup: 1, cache: hot, preheat: 0ms, timeout: 20s}
  gate: {margin: 50%}
cases:
  - workload: twice
    variant: right
    axes: {n: 64}
YAML
git checkout -q main && commit "a module"
expect 0 "$HARNESS" run module.yaml --device cpu --store demo.db
expect 0 "$HARNESS" run module.yaml --device cpu --store demo.db --against main
silent_about "the same build"
finish
