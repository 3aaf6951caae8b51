#!/usr/bin/env bash
# Where a record is of the build that runs, its looks count and nothing is run again. Another program, library, variable,
# parameter or sampling is looked at anew.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
printf '%s\n' '*.json' own/ >>.gitignore
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
run() { "${program:-$HARNESS}" run suite.yaml --device cpu "$@"; }
# run_against NAME [ARGUMENT...]: writes NAME.record.json and NAME.json; what the look found is in `told`.
run_against() {
  expect "${expected:-0}" run --against main --output "$1.record.json" --report "json=$1.json" "${@:2}"
  told=$(grep ' identical: ' "$printed" || true)
}
# knows N OF: so many of the identical cases were known.
knows() { [[ $told == "$2 of $2 identical: "*"; $1 known of this build)"* ]] || problem "the look says: $told"; }
knows_none() { [[ $told == *identical* && $told != *known* ]] || problem "the look says: $told"; }
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
holds first.record.json 'report["build"]["environment"] and report["build"]["./bin/harness"]' \
  'any("libc.so" in part for part in report["build"])'
git checkout -qb change
echo "a change" >note && commit "words"

run_against same
knows 3 3
same "nothing was run" "$(results_of same.record.json)" "f32 looked_at 0 False
threads looked_at 0 False
threads looked_at 0 False"
holds same.json 'report["verdict"] == "identical"' 'row("convergence", "loss_end")["verdict"] == "identical"'
expect 0 "$HARNESS" compare --baseline main --current HEAD
# A record of looks is as good as one of samples.
echo "more" >>note && commit "more words"
expect 0 run --against HEAD~1
told=$(grep ' identical: ' "$printed")
knows 3 3

# A variable that steers libraries, and a library that the loader adds, make another build.
OMP_NUM_THREADS=1 run_against steered
knows_none
library=$(ldconfig -p | awk '/libBrokenLocale/ {print $NF; exit}')
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
LD_PRELOAD=$library run_against preloaded
knows_none

# Another program is another build, wherever it lies; a copy is the same.
mkdir -p own/bin && cp "$HARNESS" own/bin/harness
program=own/bin/harness run_against copied
knows 3 3
echo >>own/bin/harness
program=own/bin/harness run_against other
knows_none
# A library that is replaced while it measures is warned of, and the record is of no known build.
cp "$library" own/extra.so
LD_PRELOAD=$PWD/own/extra.so run --processes 20 --output replaced.json >"$printed" 2>&1 &
pid=$!
eventually has_worker
cp own/extra.so own/new.so && echo >>own/new.so && mv own/new.so own/extra.so
wait $pid || problem "the run whose library was replaced failed"
names extra.so
holds replaced.json '"build" not in report'

# All the same when asked for.
run_against all --measure all
same "--measure all" "$(results_of all.record.json)" "f32 measured 1 2 3 4 5 True
threads measured 1 2 3 4 5 True
threads measured 1 2 3 4 5 True"

# Other sampling is looked at; a new case is measured.
run --against main --seed 3 >"$printed" 2>&1 || true
told=$(grep " identical: " "$printed")
[[ $told != *known* ]] || problem "with another seed: $told"
sed -i 's/n: .2048, 4096./n: [2048, 4096, 5000]/' suite.yaml
commit "another size"
expected=4 run_against more
[[ $told == "3 of 4 identical: "*"; 3 known of this build); measuring 1"* ]] || problem "with a new case: $told"

# The cases of a user's module may read files that nobody knows.
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
expect 0 "$HARNESS" run module.yaml --device cpu --output module.json
holds module.json '"build" not in report'
expect 0 "$HARNESS" run module.yaml --device cpu --against HEAD
silent_about "known of this build"
finish
