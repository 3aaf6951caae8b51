#!/usr/bin/env bash
# This tree's own kernels: records, a slower branch, history, bisection, calibration.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
git tag v1.2
git checkout -qb my-branch
speeds 100.1 && git commit -qam "at 100.1 us"
speeds 110 && git commit -qam "at 110 us"
culprit=$(git rev-parse --short=10 HEAD)
speeds 110.1 && git commit -qam "at 110.1 us"
git checkout -q main && ci/bootstrap.sh

page manual/gate-kernels.md 'This tree'
step 0 "harness list"
names threads_unfused cublas_unfused
step 0 "harness run"
step 1 "git checkout my-branch && ci/bootstrap.sh run"
names threads_fused
step 0 "harness history"
step 0 "harness bisect"
names "$culprit"
no_trees_left
step 0 "harness calibrate"
names threads_fused

git checkout -q main && git merge -q --ff-only my-branch
page manual/reference.md 'history'
step 0 "harness history"
step 1 "harness history"
step 0 "harness history --html"
[ -s history.html ] || problem "there is no page"
finish_walk
