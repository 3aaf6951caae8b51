#!/usr/bin/env bash
# Where the user names the environment, and a record is of the build that runs, its looks count and nothing is run again.
# Another program, variable, file, parameter or sampling is looked at anew. Where launches cannot be read, the build alone
# proves the case: all the same holds of two of the four cases. It proves times of the host, too.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
export HARNESS_ENVIRONMENT=image-1
printf '%s\n' '*.json' own/ >>.gitignore
cat >suite.yaml <<'YAML'
version: 2
name: demo
defaults:
  sampling: {processes: 5, placements: 1, samples: 5, warmup: 1, cache: hot, preheat: 0ms, timeout: 60s}
  gate: {margin: 90%}
cases:
  - workload: convergence
    variant: f32
    metrics: [time, loss_end, training_time]
    axes: {d: 32, heads: 2, layers: 1, s: 16, batch: 2, steps: 1, train_steps: 20}
    gate: {metrics: {loss_end: {margin: 0.05 nats}, training_time: {margin: 90%}}}
  - workload: probe_gelu
    variant: threads
    axes: {dtype: f32, n: [2048, 4096]}
  - workload: probe_gelu
    variant: threads
    metrics: [time, first_call]
    axes: {dtype: f32, n: 1024}
    gate: {metrics: {first_call: {margin: 90%}}}
YAML
untimed=(--allow inconclusive --looks 1 --no-confirm)  # this is no test of speed
program=$HARNESS wanted_status=0  # set apart from calls, whose variables would be of another build
run() { "$program" run suite.yaml --device cpu "$@"; }
# run_against NAME [ARGUMENT...]: writes NAME.record.json and NAME.json; what the look found is in `told`.
run_against() {
  expect "$wanted_status" run --against main "${untimed[@]}" --output "$1.record.json" --report "json=$1.json" "${@:2}"
  told=$(grep ' of [0-9]* identical: ' "$printed" || true)
  differs=$(sed -n "s/^  the build is not the baseline's; what differs: //p" "$printed")
}
# knows_all: all cases were known, and the build proves the two whose launches nobody could read.
knows_all() { [[ $told == "4 of 4 identical: 2 "*", 2 same build ("*"; 4 known of this build)"* ]] || problem "the look says: $told"; }
# knows_none: the two cases whose launches were read are identical. One has a gate on a time of the host, and is measured
# like the others.
knows_none() { [[ $told == "2 of 4 identical: "*"; measuring 3, 1 for gates beyond the proof" && $told != *known* && $told != *"same build"* ]] || problem "the look says: $told"; }
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
holds first.record.json 'report["build"]["environment"] == "image-1"'
unread .harness/results.db convergence n=4096
git checkout -qb change
echo "a change" >README.md && commit "words"

run_against same
knows_all
same "what differs" "$differs" ""
same "nothing was run" "$(results_of same.record.json)" "f32 looked_at 0 False
threads looked_at 0 False
threads looked_at 0 False
threads looked_at 0 False"
holds same.json 'report["verdict"] == "identical"' 'row("convergence", "loss_end")["verdict"] == "identical"' \
  'all(one["by_build"] and one["reason_fact"]["code"] == "same_build" for one in (row("convergence", "loss_end"), row("convergence", "training_time"), row("convergence", "wall_time"), row("n=4096"), row("n=1024", "first_call")))' \
  'all(one["verdict"] == "identical" for one in report["cases"])' '[one["code"] for one in report["facts"]["remarks"]] == ["compared_by"]' \
  'row("n=4096")["unproven"]["why"]["code"] == "unreadable"' '"by_build" not in row("n=2048")' '"by_build" not in row("n=1024", "wall_time")'
expect 0 "$HARNESS" compare --baseline main --current HEAD
# A record of looks is as good as one of samples. A copy of the program is the same one.
echo "more" >>README.md && commit "more words"
mkdir -p own/bin own/lib && cp "$HARNESS" own/bin/harness
for module in "${HARNESS%/*}"/{.,../lib}/libharness_{cuda,kernels}.so; do [ ! -f "$module" ] || cp "$module" own/lib; done
program=own/bin/harness
expect 0 run --against HEAD~1
program=$HARNESS
told=$(grep ' of [0-9]* identical: ' "$printed")
knows_all

# Another variable, environment, program, file or folder.
wanted_status="0 1"
MY_TILE=8 run_against steered
knows_none
same "what differs" "$differs" "the environment variables"
HARNESS_ENVIRONMENT=image-2 run_against moved
knows_none
same "what differs" "$differs" "HARNESS_ENVIRONMENT"
HARNESS_ENVIRONMENT='' run_against unnamed
knows_none
same "what differs" "$differs" ""
holds unnamed.record.json '"build" not in report'
echo >>own/bin/harness
program=own/bin/harness
run_against other
knows_none
same "what differs" "$differs" "the program"
program=$HARNESS
echo "# a word" >>suite.yaml
run_against dirty
knows_none
same "what differs" "$differs" "the tracked files"
git checkout -q suite.yaml
git worktree add -q elsewhere
(cd elsewhere && expect "0 1" run --store ../.harness/results.db --against main "${untimed[@]}" && silent_about "known of this build" && exit "$failures") ||
  problem "in another folder"
git worktree remove --force elsewhere
# A proof by build against one record does not hold against the record of another build.
expect 4 "$HARNESS" compare --baseline moved.record.json --current same.record.json --report json=apart.json
holds apart.json 'row("n=4096")["reason_fact"]["code"] == "unproven"' 'row("n=2048")["verdict"] == "identical"'
echo 1 >table.txt && commit "a table"
run_against table
knows_none

# All the same when asked for.
run_against all --measure all
same "--measure all" "$(results_of all.record.json)" "f32 measured 1 2 3 4 5 True
threads measured 1 2 3 4 5 True
threads measured 1 2 3 4 5 True
threads measured 1 2 3 4 5 True"

# A campaign knows launches, too. Its record is of no build, because its elements may be of several. So the build proves
# nothing, and cases whose launches cannot be read are measured.
git checkout -q main
expect 0 "$HARNESS" farm plan suite.yaml --device cpu --against main
told=$(grep ' of [0-9]* identical: ' "$printed")
[[ $told == "2 of 4 identical: "*"; 1 known of this build); measuring 3, 1 for gates beyond the proof" ]] || problem "the look of a campaign says: $told"
MY_TILE=9 expect 0 "$HARNESS" farm plan suite.yaml --device cpu --against main
told=$(grep ' of [0-9]* identical: ' "$printed")
knows_none
git checkout -q change

# Other sampling is looked at; a new case is measured.
run --against main --seed 3 >"$printed" 2>&1 || true
told=$(grep " of [0-9]* identical: " "$printed")
[[ $told != *known* ]] || problem "with another seed: $told"
sed -i 's/n: .2048, 4096./n: [2048, 4096, 5000]/' suite.yaml
commit "another size"
wanted_status="1 4"
run_against more
[[ $told == "2 of 5 identical: "*"; measuring 4"* && $told != *known* ]] || problem "with another suite: $told"

# The code of a user's module may lie in files that nobody knows.
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
