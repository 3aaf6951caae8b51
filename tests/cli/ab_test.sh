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
left_over() {
  [ "$(git worktree list | wc -l)" -eq 1 ] || problem "a worktree is left: $(git worktree list)"
  [ -z "$(ls .harness/worktrees 2>/dev/null)" ] || problem "files are left: $(ls .harness/worktrees)"
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
says "REGRESSED" "twice/right/n=64" "one session: processes of both builds in turn" "Welch's t-test" "+3.0" \
  "baseline  $(git rev-parse --short=10 HEAD~1) (HEAD~1)" "current   $(git rev-parse --short=10 HEAD) (HEAD)"
left_over
[ "$(sort -u "$scratch/builds" | grep -c /.harness/worktrees/ab-)" -eq 2 ] || problem "ccache was not told of the trees"
[ "$(git rev-parse --abbrev-ref HEAD)" = main ] || problem "another branch is checked out"
grep -q '"pairing": "session"' slower.json || problem "the JSON does not say how they were paired"
grep -q '<failure' slower.xml || problem "no failure in the JUnit file"

# The records are stored and judged again like any others, but by id alone.
read -r old new < <(ids slower.json)
expect 1 "$HARNESS" compare --baseline "$old" --current "$new" --margin 1%
says "one session: processes of both builds in turn" "REGRESSED"
expect 0 "$HARNESS" explain twice/right/n=64 --baseline "$old" --current "$new" --margin 1%
says "Welch-Satterthwaite"
expect 4 "$HARNESS" compare --baseline HEAD~1 --current HEAD
expect 2 "$HARNESS" baseline promote "$new" --author me --reason because
says "one side of an A/B run"

# A commit against itself. What is not committed is not measured.
speeds 200
base=HEAD
expect 0 ab --pair session
says "warning: A/B measures commits" "unchanged"
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
says "REGRESSED" "paired in one process" "Student's t-test on one log ratio a process" "5 processes a side"
left_over
grep -q '"pairing": "process"' paired.json || problem "the JSON does not say that they were paired"
read -r old new < <(ids paired.json)
expect 1 "$HARNESS" compare --baseline "$old" --current "$new"
expect 0 "$HARNESS" explain twice/right/n=64 --baseline "$old" --current "$new"
says "from the log ratio that each process measured" "one-sample t"
silent_about "Welch"
# Processes differ by 2 %, so that processes of their own could not have told; and alone a side is no evidence.
read -r first _ < <(ids slower.json)
expect 4 "$HARNESS" compare --baseline "$first" --current "$new"
says "was measured in the same processes as another build"
paired 100 100 0.02
step "no difference"
expect 0 ab --pair process
says "unchanged" "paired in one process"
base=HEAD
expect 0 ab --pair process

# Each side runs its own plugin: the one that is wrong is found out, and only that one.
suite right also_right
step "before the next plugin"
sed -i 's/\[right,also_right\]/[right,also_right,added]/' suite.yaml
touch next
step "the next plugin"
base=HEAD~1
expect 5 ab --pair process
says "twice/also_right/n=64" "incorrect" "twice/added/n=64" "new: the baseline has no such case" "unchanged"
git tag next
git revert --no-edit HEAD >/dev/null
base=next
expect 4 ab --pair process
says "the baseline was not measured (incorrect" "removed: only the baseline has this case" "unchanged"

# A module that does not fit: each in processes of its own, and it is said why.
suite right
echo "$KERNELS" >program
step "a program of its own"
base=HEAD
expect 0 ab --pair process
echo "$OTHER_ABI" >program
step "a module of another version"
base=HEAD~1
expect 0 ab
says "measuring in processes that take turns, not in one process" "module ABI" "one session"
expect 2 ab --pair process
says "--pair process: both builds cannot be measured in one process" "module ABI"
git rm -q --cached program && rm program

# Builds that fail: each side says why, and nothing is measured.
touch broken
step "does not build"
before=$(ls -l .harness/results.db)
expect 2 ab
says "current $(git rev-parse --short=10 HEAD) (HEAD): the build failed: exit status 1: error: expected ';'" "--build"
silent_about "baseline $(git rev-parse --short=10 HEAD~1) (HEAD~1): the build failed"
base=HEAD
expect 2 ab
says "baseline $(git rev-parse --short=10 HEAD) (HEAD): the build failed" "current $(git rev-parse --short=10 HEAD) (HEAD): the build failed"
[ "$before" = "$(ls -l .harness/results.db)" ] || problem "something was stored although nothing was built"
left_over
git rm -q --cached broken && rm broken

# The suite may name the build command; slips cost nothing.
sed -i '2a build: ./build.sh' suite.yaml
step "names its build"
expect 0 "$HARNESS" ab suite.yaml --baseline HEAD --device scripted:speed.json --pair session
base=nonsense expect 2 ab
says "--baseline: unknown revision"
expect 2 ab --pair sideways
base=HEAD HARNESS_CUDA_MODULE=/elsewhere.so expect 2 ab
says "HARNESS_CUDA_MODULE"
cp suite.yaml "$scratch/elsewhere.yaml"
expect 2 "$HARNESS" ab "$scratch/elsewhere.yaml" --baseline HEAD
says "lies outside the repository"
git rm -q --cached suite.yaml && mv suite.yaml later.yaml && step "no suite" && mv later.yaml suite.yaml && step "again"
base=HEAD~1
expect 2 ab
says "baseline $(git rev-parse --short=10 HEAD~1) (HEAD~1): it has no suite.yaml"

# Ctrl-C and kill leave nothing behind, now or at the next start: while building, and while measuring.
touch hang; step "hangs"; git rm -q --cached hang; rm hang
suite slow
sed -i 's/processes: 5/processes: 200/; s/samples: 20/samples: 30/' suite.yaml
step "long"
for phase in building measuring; do for signal in INT KILL; do
  rm -f "$scratch/hanging"
  if [ $phase = building ]; then target=HEAD~1; else target=HEAD; fi
  setsid "$HARNESS" ab suite.yaml --baseline $target --build ./build.sh --pair session --store $phase$signal.db \
    --report junit=$phase$signal.xml >"$printed" 2>&1 &
  pid=$!
  for _ in $(seq 200); do
    if [ $phase = building ]; then [ -f "$scratch/hanging" ] && break
    else [ -s $phase$signal.xml ] && break; fi
    sleep 0.05
  done
  kill -$signal "$pid"
  status=0
  wait "$pid" || status=$?
  [ $phase = building ] || grep -q '<error' $phase$signal.xml || problem "the JUnit file of an $signal run is green"
  if [ $signal = INT ]; then
    [ "$status" -eq 130 ] || problem "SIGINT while $phase: exit status $status, not 130"
    says "interrupted"
  else
    [ "$(git worktree list | wc -l)" -eq 3 ] || problem "the killed one left nothing to clean: $phase"
    for _ in $(seq 100); do pgrep -f "$HARNESS worker" >/dev/null || break; sleep 0.05; done
    pgrep -f "$HARNESS worker" >/dev/null && problem "a worker outlived the killed run"
    base=nonsense expect 2 ab
    base=HEAD expect 2 ab --build false
  fi
  left_over
done; done
finish
