#!/usr/bin/env bash
# README.md from top to bottom: the first verdict, a red build, two commits together.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
page README.md 'Two commands'
step 0 "ci/bootstrap.sh run"
names linear_gelu/threads_fused

page README.md 'The first verdict'
step 0 "harness doctor"
step 0 "harness list"
names threads_unfused cublas_unfused
git checkout -qb my-branch && speeds 110 && commit "slower by a tenth"
git checkout -q main
step 0 "harness ab"  # one script plays both sides
step 0 "harness run"
step 1 "git checkout my-branch && ci/bootstrap.sh run"
names threads_fused
step 0 "harness import"
step 0 "harness import"
step 1 "harness compare"
names gelu/mode=hot gelu/mode=cold
speeds 100 && git commit -qam "as fast as before"
step 0 "harness run"

page README.md 'Two commits, measured together'
step 0 "harness ab"
no_trees_left
page harness/measure/together.md 'Two builds measured together'
step 0 "harness ab"
finish_walk
