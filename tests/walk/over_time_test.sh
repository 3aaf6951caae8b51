#!/usr/bin/env bash
# Where README.md goes on, and the guide: history, bisection, calibration.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
git tag v1.2
for us in 100.1 110; do
  speeds $us && git commit -qam "at $us us"
done
culprit=$(git rev-parse --short=10 HEAD)
speeds 110.1 && git commit -qam "at 110.1 us"

page README.md 'Over time'
expect 0 harness run suites/fusion.yaml
step 0 "harness history"
step 0 "harness bisect"
names "$culprit"
no_trees_left
step 0 "harness calibrate"
names threads_fused

page harness/cli/commands/guide.md 'history'
step 0 "harness history"
step 1 "harness history"
finish_walk
