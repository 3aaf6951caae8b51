#!/usr/bin/env bash
# The page of many devices: one build, two builds, and the script for Slurm.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
expect 0 harness run suites/smoke.yaml
git checkout -qb change && speeds 100.1 && commit "a change"

page manual/many-devices.md 'Start'
step 0 "harness farm plan"
step 0 "harness farm work"
step 0 "harness farm status"
step 0 "harness farm judge"

page manual/many-devices.md 'Several devices'
step 0 "git worktree add"
ci/bootstrap.sh
step 0 "harness farm plan"
expect 0 harness farm work  # the page starts one on each of four GPUs
step 0 "harness farm judge"
finish_walk
