#!/usr/bin/env bash
# Tuned parameters, with a suite of the test plugin: search, run, and commit the values.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite blocks
mkdir suites
sed 's#./plugin.so#../plugin.so#; s/workload: twice/workload: tiled/' suite.yaml >suites/mine.yaml
echo "    tune: {tile: [8, 16, 32]}" >>suites/mine.yaml
scripted_device
speeds 100
commit "a suite to tune"

page manual/write-a-suite.md 'Tuned parameters'
step 0 'harness tune'
names tile=8 baselines/scripted/tuned/demo.json
step 0 'harness run'
names tile=tuned tile=8
export GIT_EDITOR="sed -i '1s/^/tuned/'"
step 0 'git add baselines'
git show --stat HEAD | grep -q baselines/scripted/tuned/demo.json || problem "the values were not committed"
finish_walk
