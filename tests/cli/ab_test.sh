#!/usr/bin/env bash
# `harness ab` on a real repository: a plugin that each commit builds, and scripted time, so that verdicts
# rest on no real timing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
unset CCACHE_BASEDIR CCACHE_NOHASHDIR  # a build is told its own tree only where nobody chose one
: "${PLUGIN_NEXT:?}" "${OTHER_ABI:?}" "${KERNELS:?}"

repository
suite right
echo build/ >>.gitignore
# The build of a commit puts the plugin where the suite looks for it, unless the tree says otherwise.
cat >build.sh <<SH
#!/bin/sh
[ ! -f broken ] || { echo "error: expected ';'" >&2; exit 1; }
[ ! -f hang ] || { touch "$scratch/hanging"; sleep 60; }
echo "\$CCACHE_BASEDIR" >>"$scratch/builds"
if [ -f next ]; then cp "$PLUGIN_NEXT" plugin.so; else cp "$PLUGIN" plugin.so; fi
if [ -f program ]; then
  mkdir -p build/release/bin build/release/lib
  ln -s "$HARNESS" build/release/bin/harness
  cp "\$(cat program)" build/release/lib/libharness_kernels.so
fi
SH
chmod +x build.sh

# A commit of everything as it is.
step() {
  date +%N >>noise
  git add -A
  git commit -qm "$1"
}
ab() {
  "$HARNESS" ab suite.yaml --baseline "$base" --device scripted:speed.json --build ./build.sh --color never "$@"
}
# ids FILE: the two records that a JSON report names.
ids() { python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(d["baseline"]["id"], d["current"]["id"])' "$1"; }

# In processes that take turns: each commit's own script.
speeds 100
step "as fast as ever"
speeds 103
step "slower"
base=HEAD~1
expect 1 ab --pair session --margin 1% --report json=slower.json,junit=slower.xml
holds slower.json 'report["verdict"] == "regressed"' 'report["pairing"] == "session"' '1.025 < row()["ratio"] < 1.035' \
  "report['baseline']['revision']['commit'] == '$(git rev-parse HEAD~1)'" \
  "report['current']['revision']['commit'] == '$(git rev-parse HEAD)'"
no_trees_left
[ "$(sort -u "$scratch/builds" | grep -c /.harness/worktrees/ab-)" -eq 2 ] || problem "ccache was not told of the trees"
[ "$(git rev-parse --abbrev-ref HEAD)" = main ] || problem "another branch is checked out"
grep -q '<failure' slower.xml || problem "no failure in the JUnit file"

# The records are stored and judged again like any others, but by id alone.
read -r old new < <(ids slower.json)
expect 1 "$HARNESS" compare --baseline "$old" --current "$new" --margin 1% --report json=again.json
holds again.json 'report["pairing"] == "session"'
expect 0 "$HARNESS" explain twice/right/n=64 --baseline "$old" --current "$new" --margin 1%
names Welch
expect 4 "$HARNESS" compare --baseline HEAD~1 --current HEAD
expect 2 "$HARNESS" baseline promote "$new" --author tester --reason because

# A commit against itself. Uncommitted changes are not measured.
speeds 200
base=HEAD
expect 0 ab --pair session --report json=committed.json
holds committed.json '95 < row()["current"]["center"] < 110'
git checkout -q speed.json

# In one process: one script for both, which knows the sides. The builds' plugins are loaded side by side.
paired() { # paired BASELINE_US CURRENT_US PROCESS_SD
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": $1, "process_sd": $3, "sample_sd": 0.01},
 {"match": "*", "side": "current", "us": $2, "process_sd": $3, "sample_sd": 0.01}]}
JSON
}
paired 100 102 0.02
step "a script for both"
base=HEAD~1
expect 1 ab --report json=paired.json
no_trees_left
holds paired.json 'report["verdict"] == "regressed"' 'report["pairing"] == "process"' 'row()["processes"] == [5, 5]'
read -r old new < <(ids paired.json)
expect 1 "$HARNESS" compare --baseline "$old" --current "$new"
expect 0 "$HARNESS" explain twice/right/n=64 --baseline "$old" --current "$new"
silent_about "Welch"
# Processes differ by 2 %, so that processes of their own could not have told; and alone a side is no evidence.
read -r first _ < <(ids slower.json)
expect 4 "$HARNESS" compare --baseline "$first" --current "$new"
paired 100 100 0.02
step "no difference"
expect 0 ab --pair process --report json=equal.json
holds equal.json 'report["verdict"] == "unchanged"' 'report["pairing"] == "process"'
base=HEAD
expect 0 ab --pair process

# Counters of one call a side explain a regression. They are read last, by processes of their own, and are no
# metric. A profiler that refuses is told.
counted() { # counted BASELINE_US CURRENT_US COUNTERS_OF_BASELINE COUNTERS_OF_CURRENT
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": $1, "process_sd": 0.001, "sample_sd": 0.01, "counters": [$3]},
 {"match": "*", "side": "current", "us": $2, "process_sd": 0.001, "sample_sd": 0.01, "counters": [$4]}]}
JSON
}
read_bytes() { echo '{"name": "dram__bytes_read.sum", "value": '"$1"', "unit": "bytes"}'; }
counts_twice() { # counts_twice MODE
  expect 1 ab --pair "$1" --report json=counted.json
  holds counted.json 'len(report["cases"]) == 1' \
    'any(c["code"] == "counters" and [c["baseline1"], c["current1"]] == [4096, 8192] for c in row()["change_causes"])'
  read -r _ new < <(ids counted.json)
  expect 0 "$HARNESS" report "$new" --format json
  silent_about dram__bytes
}
counted 100 110 "$(read_bytes 4096)" "$(read_bytes 8192)"
step "reads twice as much"
base=HEAD~1
counts_twice process
speeds 100
sed -i 's/"first_call_us"/"counters": ['"$(read_bytes 4096)"'], &/' speed.json
step "one script a commit"
sed -i 's/"us": 100/"us": 110/; s/4096/8192/' speed.json
step "reads twice as much, in another process"
counts_twice session
counted 100 100 "$(read_bytes 4096)" "$(read_bytes 8192)"
step "reads twice as much in the same time"
expect 0 ab --report json=counted.json
silent_about counters
refuses='{"name": "dram__bytes_read.sum", "missing": "for administrators"}'
counted 100 110 "$refuses" "$refuses"
step "refused"
expect 1 ab --report json=refused.json
holds refused.json '{"code": "counters_unread", "why": "refused", "problem": "for administrators"} in report["facts"]["remarks"]'
HARNESS_CUPTI=off expect 1 ab --report json=refused.json
holds refused.json 'all(r["code"] != "counters_unread" for r in report["facts"]["remarks"])'
paired 100 100 0.02
step "no difference again"

# Each side runs its own plugin: the one that is wrong is found out, and only that one.
suite right also_right
step "before the next plugin"
sed -i 's/\[right,also_right\]/[right,also_right,added]/' suite.yaml
touch next
step "the next plugin"
base=HEAD~1
# verdicts FILE: of each variant.
verdicts() {
  python3 -c 'import json,sys; print(*sorted(r["case"].split("/")[1] + ":" + r["verdict"] for r in json.load(open(sys.argv[1]))["cases"]))' "$1"
}
expect 5 ab --pair process --report json=next.json
same "the next plugin" "$(verdicts next.json)" "added:missing also_right:failed right:unchanged"
git tag next
git revert --no-edit HEAD >/dev/null
base=next
expect 4 ab --pair process --report json=back.json
same "the next plugin taken back" "$(verdicts back.json)" "added:missing also_right:missing right:unchanged"

# A module that does not fit: each in processes of its own, and it is said why.
suite right
echo "$KERNELS" >program
step "a program of its own"
base=HEAD
expect 0 ab --pair process
echo "$OTHER_ABI" >program
step "a module of another version"
base=HEAD~1
expect 0 ab --report json=turns.json
names ABI
holds turns.json 'report["pairing"] == "session"'
expect 2 ab --pair process
names --pair ABI
git rm -q --cached program && rm program

# Builds that fail: each side says why, and nothing is measured.
touch broken
step "does not build"
before=$(ls -l .harness/results.db)
expect 2 ab
says "error: expected ';'"
names "$(git rev-parse --short=10 HEAD)" --build
same "builds that failed" "$(grep -c "expected ';'" "$printed")" 1
base=HEAD
expect 2 ab
same "builds that failed" "$(grep -c "expected ';'" "$printed")" 2
[ "$before" = "$(ls -l .harness/results.db)" ] || problem "something was stored although nothing was built"
no_trees_left
git rm -q --cached broken && rm broken

# A build that leaves nothing of its commit: both sides would be the same program. The suite has no plugin here.
cat >built_in.yaml <<'YAML'
version: 2
name: built_in
cases:
  - workload: linear_gelu
    variants: [threads_fused]
    axes: {dtype: [f32], m: [8], n: [8], k: [8]}
YAML
step "a suite without plugins"
built_in() { "$HARNESS" ab built_in.yaml --baseline HEAD~1 --device cpu --build "$1"; }
git add built_in.yaml
echo "# again" >>built_in.yaml && step "again"
expect 2 built_in true
names build/release/bin/harness
# ... nor an old one, whatever made it.
cat >old.sh <<SH
mkdir -p build/release/bin && cp -p "$HARNESS" build/release/bin/harness
SH
expect 2 built_in "sh $work/old.sh"
names build/release/bin/harness
no_trees_left

# The suite may name the build command; slips cost nothing.
sed -i '2a build: ./build.sh' suite.yaml
step "names its build"
expect 0 "$HARNESS" ab suite.yaml --baseline HEAD --device scripted:speed.json --pair session
base=nonsense expect 2 ab
names --baseline
expect 2 ab --pair sideways
base=HEAD HARNESS_CUDA_MODULE=/elsewhere.so expect 2 ab
names HARNESS_CUDA_MODULE
cp suite.yaml "$scratch/elsewhere.yaml"
expect 2 "$HARNESS" ab "$scratch/elsewhere.yaml" --baseline HEAD
names elsewhere.yaml
git rm -q --cached suite.yaml && mv suite.yaml later.yaml && step "no suite" && mv later.yaml suite.yaml && step "again"
base=HEAD~1
expect 2 ab
names "$(git rev-parse --short=10 HEAD~1)" suite.yaml

# Ctrl-C and kill leave nothing behind, now or at the next start: while building, and while measuring.
touch hang; step "hangs"; git rm -q --cached hang; rm hang
suite slow
sed -i 's/processes: 5/processes: 200/; s/samples: 20/samples: 30/' suite.yaml
step "long"
for phase in building measuring; do for signal in INT KILL; do
  rm -f "$scratch/hanging"
  if [ $phase = building ]; then target=HEAD~1; else target=HEAD; fi
  # A proof of identity would end it before the signal.
  setsid "$HARNESS" ab suite.yaml --baseline $target --build ./build.sh --pair session --measure all \
    --store $phase$signal.db --report junit=$phase$signal.xml >"$printed" 2>&1 &
  pid=$!
  if [ $phase = building ]; then eventually test -f "$scratch/hanging"; else eventually grep -qs twice/ $phase$signal.xml; fi
  kill -$signal "$pid"
  status=0
  wait "$pid" || status=$?
  [ $phase = building ] || grep -q '<error' $phase$signal.xml || problem "the JUnit file of an $signal run is green"
  if [ $signal = INT ]; then
    [ "$status" -eq 130 ] || problem "SIGINT while $phase: exit status $status, not 130"
  else
    [ "$(git worktree list | wc -l)" -eq 3 ] || problem "the killed one left nothing to clean: $phase"
    eventually has_no_worker
    base=nonsense expect 2 ab
    base=HEAD expect 2 ab --build false
  fi
  no_trees_left
done; done
finish
