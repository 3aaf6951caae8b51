#!/usr/bin/env bash
# `harness bisect` on a real repository: the device replays a script that is a file of the repository, so that
# each commit has a speed of its own.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
# A build that fails where the tree says so, and otherwise puts the plugin where the suite looks for it.
cat >build.sh <<SH
#!/bin/sh
[ ! -f broken ] || { echo "error: expected ';'" >&2; exit 1; }
[ ! -f hang ] || { touch "$scratch/hanging"; sleep 60; }
# Others can write to the store meanwhile.
python3 -c 'import sqlite3; store = sqlite3.connect("$work/.harness/results.db", timeout=5); store.execute("BEGIN IMMEDIATE")' || exit 1
echo built >>"$scratch/builds"
cp "$PLUGIN" plugin.so
SH
chmod +x build.sh

# step MICROSECONDS [SD] : a commit of that speed.
step() {
  speeds "$@"
  date +%N >>noise
  git add -A
  git commit -qm "step $1 ${3:-}"
}
bisect() { "$HARNESS" bisect suite.yaml --device scripted:speed.json --build ./build.sh --color never "$@"; }

for us in 100 100.1 100 99.9 100; do step $us; done          # HEAD~11 .. HEAD~7
step 103                                                     # HEAD~6, the culprit
for us in 103 103.1; do step $us; done
touch broken; step 103; git rm -q --cached broken; rm broken # HEAD~3, does not build
for us in 103 102.9; do step $us; done                       # HEAD~2, HEAD~1
step 103                                                     # HEAD
culprit=$(git rev-parse --short=10 HEAD~6)
git tag good HEAD~11

expect 0 bisect --good good --report json=first.json
names "$culprit" tester building built
no_trees_left
holds first.json 'report["format"] == "harness-bisect"' "'$culprit' in str(report)"
[ "$(git status --porcelain)" = "?? first.json" ] || problem "the tree was touched: $(git status --porcelain)"
[ "$(git rev-parse --abbrev-ref HEAD)" = main ] || problem "another branch is checked out"
builds=$(wc -l <"$scratch/builds")
[ "$builds" -le 6 ] || problem "$builds builds for 11 commits"

# All of it is in the store now: nothing is built again.
expect 0 bisect --good good
names "$culprit"
[ "$(wc -l <"$scratch/builds")" -eq "$builds" ] || problem "built again although stored"

# A search that ends early leaves a range, and one that meets a broken commit says why it was skipped.
expect 3 bisect --good good --max-steps 1 --store other.db
names --max-steps

# So does one whose time is over, which begins no further commit.
expect 3 bisect --good good --budget 0 --store seventh.db --report json=seventh.json
names --budget
holds seventh.json 'report["stopped"] and report["out_of_time"]' 'len(report["culprits"]) == 11' 'len(report["steps"]) == 1'
expect 0 bisect --good good --budget 1h --report json=first.json
holds first.json 'not report["stopped"] and not report["out_of_time"]'
expect 2 bisect --good good --budget soon
names --budget

touch broken; step 103 0.001 "broken and slower"; git rm -q --cached broken; rm broken
step 107
expect 3 bisect --good HEAD~2 --store fourth.db
says "expected ';'"
no_trees_left

# An inconclusive commit is measured again with more processes; one that stays so is skipped.
git checkout -qb noisy good
step 102 0.02
step 112
expect 3 bisect --good good --max-processes 8 --store fifth.db --report json=fifth.json
holds fifth.json '[step["result"] for step in report["steps"] if step["verdict"] == "inconclusive"] == ["skipped"]'
python3 - <<'PY' || problem "no second measurement with more processes"
import sqlite3
assert sqlite3.connect("fifth.db").execute("select max(process) from results").fetchone()[0] == 8
PY

# Nothing to find; slips.
git checkout -q main
expect 4 bisect --good good --bad HEAD~9 --store sixth.db
expect 2 bisect --good nonsense
names --good
expect 2 bisect --good noisy
expect 2 bisect --good good --bad good
expect 2 "$HARNESS" bisect absent.yaml --good good
expect 2 bisect --good good --format pdf
names pdf

# Ctrl-C and kill leave nothing behind, now or at the next start.
touch hang; step 108; rm hang; git rm -q --cached hang; step 109
for signal in INT KILL; do
  rm -f "$scratch/hanging"
  setsid "$HARNESS" bisect suite.yaml --device scripted:speed.json --build ./build.sh --good HEAD~1 --store eighth.db >"$printed" 2>&1 &
  pid=$!
  eventually test -f "$scratch/hanging"
  kill -$signal "$pid"
  status=0
  wait "$pid" || status=$?
  if [ $signal = INT ]; then
    [ "$status" -eq 130 ] || problem "SIGINT: exit status $status, not 130"
    no_trees_left
  else
    [ "$(git worktree list | wc -l)" -eq 2 ] || problem "the killed one left nothing to clean"
    expect 4 bisect --good good --bad HEAD~12 --store sixth.db
    no_trees_left
  fi
done
finish
