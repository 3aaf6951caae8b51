#!/usr/bin/env bash
# harness tune: the fastest values of a parameter are found, verified by fresh processes, and pinned for the machine class.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# tuned_suite VALUES: one point of a workload whose blocks have one of these sizes; the first is the fixed one.
tuned_suite() {
  cat >suite.yaml <<YAML
version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 1, samples: 10, cache: hot, preheat: 0ms, timeout: 5s}
cases:
  - workload: tiled
    variants: [blocks]
    metrics: [time, tile]
    axes: {n: [64]}
    tune: {tile: [$1]}
    gate: {metrics: {tile: {informative: true}}}
YAML
}

# landscape US=TILE...: the times of the sizes, with noise; other sizes take 100 us, and the tuned case 81 us.
landscape() {
  local cases="" one
  for one in "$@"; do
    cases+="{\"match\": \"*/tile=${one#*=}\", \"us\": ${one%=*}, \"process_sd\": 0.003, \"sample_sd\": 0.02},"
  done
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
 "cases": [$cases {"match": "*/tile=tuned", "us": 81, "process_sd": 0.003},
           {"match": "*", "us": 100, "process_sd": 0.003, "sample_sd": 0.02}]}
JSON
}

tune() { "$HARNESS" tune suite.yaml --device scripted:speed.json --quiet "$@"; }
pins=baselines/scripted/tuned/demo.json

repository
tuned_suite "8, 16, 32, 64, 128, 256"
landscape 90=16 81=32 82=64 140=256
commit "tuned"

# Before anything is pinned, the tuned case is skipped with advice.
expect 0 run --output before.json
holds before.json 'row("tile=tuned")["outcome"] == "skipped"' 'row("tile=tuned")["reason"]["code"] == "not_tuned"' \
  'row("tile=8")["outcome"] == "measured"'
expect 0 "$HARNESS" list suite.yaml --device scripted:speed.json
names tile=tuned tune suite.yaml

# The best of a noisy landscape is found within the budget and pinned.
expect 0 tune --budget 10m --report json=tune.json --report html=tune.html --report csv=tune.csv
names replaced tile=32 $pins
holds tune.json 'report["cases"][0]["outcome"] == "replaced"' 'report["cases"][0]["values"] == {"tile": 32}' \
  'report["cases"][0]["fixed"] == {"tile": 8}' '0.79 < report["cases"][0]["ratio"] < 0.83' \
  'report["cases"][0]["processes"] == 5' 'report["took"] < report["budget"] == 600' 'not report["ended"]' \
  'report["rungs"][0] == {"processes": 3, "arms": 6}' 'report["rungs"][1]["arms"] <= 3' \
  '[arm["end"] for arm in report["cases"][0]["arms"]].count("leader") == 1' 'report["files"] == ["'$pins'"]'
holds $pins '(report["format"], report["version"]) == ("harness-tuned", 1)' 'report["class"] == "scripted"' \
  'report["cases"][0]["case"] == "tiled/blocks/n=64/tile=tuned"' 'report["cases"][0]["values"] == {"tile": 32}' \
  'report["cases"][0]["arms"] == 6' 'report["cases"][0]["device"] == "GPU-A"'
grep -q "tile=32" tune.html || problem "the page lacks the values"

# The tuned case runs with it: the kernel says so, and the record.
expect 0 run --output after.json --color never
names tile=32
holds after.json 'row("tile=tuned")["tuned"] == {"tile": 32}' 'row("tile=tuned")["reference"] == "tiled/blocks/n=64/tile=8"' \
  '[m for m in row("tile=tuned")["metrics"] if m["metric"] == "tile"][0]["processes"][0]["placements"][0]["samples"] == [32]'

# Another machine class has no values. Other values are told when results are compared.
sed 's/"scripted"/"other"/' speed.json >other.json
expect 0 "$HARNESS" run suite.yaml --device scripted:other.json --output other-record.json
holds other-record.json 'row("tile=tuned")["outcome"] == "skipped"'
cp $pins kept.json
sed -i 's/"values": {"tile": 32}/"values": {"tile": 64}/' $pins
expect 0 run --output changed.json
expect 0 "$HARNESS" compare --baseline after.json --current changed.json --margin 3% --report json=compared.json
holds compared.json \
  'any(d["code"] == "tuned_otherwise" and d["baseline"] == "tile=32" for d in row("tile=tuned", "time")["diagnostics"])'

# Values that the suite no longer tries, and a file that cannot be read.
tuned_suite "8, 16, 32"
expect 0 run --output stale.json
holds stale.json 'row("tile=tuned")["reason"]["code"] == "tuned_to_other"'
echo "{" >$pins
expect 2 run
names $pins git
cp kept.json $pins

# Without a budget nothing is decided, and what was pinned stays.
expect 3 tune --budget 0s --report json=none.json
names --budget undecided
holds none.json 'report["ended"]' 'report["files"] == []' 'report["exit_code"] == 3'
cmp -s kept.json $pins || problem "an undecided search changed the pinned values"

# Where nothing is better, the fixed values stay and are pinned.
landscape 100=16 100.1=32
expect 0 tune --report json=kept-report.json
names kept tile=8
holds kept-report.json 'report["cases"][0]["outcome"] == "kept"'
holds $pins 'report["cases"][0]["values"] == {"tile": 8}' 'report["cases"][0]["ratio"] is None'

# Wrong results are never chosen, however fast. Unsupported values are no failure.
rm $pins
tuned_suite "8, 13, 16"
landscape 10=13 90=16
expect 5 tune --report json=wrong.json
names tile=13 tile=16
holds wrong.json '[arm["end"] for arm in report["cases"][0]["arms"]] == ["slower", "failed", "leader"]' \
  'report["cases"][0]["values"] == {"tile": 16}'
tuned_suite "8, 7, 16"
expect 0 tune --report json=unsupported.json
holds unsupported.json 'report["cases"][0]["arms"][1]["end"] == "skipped"'
tuned_suite "13, 8"
cp $pins kept.json
expect 5 tune
cmp -s kept.json $pins || problem "failed fixed values changed what is pinned"
tuned_suite "7, 8"
expect 4 tune

# A search that is stopped pins nothing and leaves nothing behind.
tuned_suite "8, 16, 32, 64, 128, 256"
landscape 90=16 81=32
for signal in INT TERM KILL; do
  hold
  setsid "$HARNESS" tune suite.yaml --device scripted:speed.json --budget 1h >"$signal.log" 2>&1 &
  pid=$!
  eventually are_held 1
  kill -$signal "$pid"
  status=0
  wait "$pid" || status=$?
  [ $signal = KILL ] || same "the exit status of SIG$signal" "$status" 130
  eventually has_no_worker
  let_go
  cmp -s kept.json $pins || problem "SIG$signal: the pinned values changed"
  same "the files beside the pinned values" "$(ls baselines/scripted/tuned)" demo.json
done

# A tree that was carried without its repository: the pins tell the commit that the user names.
carried=$(printf '7%.0s' {1..40})
tuned_suite "8, 16"
landscape 100=8 90=16
expect 2 tune --commit "$carried"
names --commit
mv .git apart
expect 0 tune --commit "$carried"
grep -q "\"commit\": \"$carried\"" $pins || problem "the pins have another commit: $(grep commit $pins)"
mv apart .git

# Mistakes.
suite right
expect 2 tune
names suite.yaml tune tile
tuned_suite 8
expect 2 tune
names suite.yaml:11 '[64,'
tuned_suite "8, 16"
sed -i 's/n: \[64\]/n: [64], tile: 8/' suite.yaml
expect 2 tune
names suite.yaml:11 axes
tuned_suite "8, 16"
expect 2 tune --budget soon
names --budget
expect 2 tune --filter 'nothing/*'
names nothing/
expect 2 "$HARNESS" tune none.yaml
finish
