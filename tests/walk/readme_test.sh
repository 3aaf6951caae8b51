#!/usr/bin/env bash
# README.md from top to bottom: the two commands, the first verdict, the suite of seven lines.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
page README.md 'Two commands'
step 0 "ci/bootstrap.sh run"
names linear_gelu/threads_fused

page README.md 'The first verdict'
git branch my-branch
step 0 "harness doctor"
step 0 "harness ab"  # one script plays both sides
no_trees_left

python3 "$here/commands.py" --file README.md yaml 0 >mine.yaml
same "lines of the suite" "$(wc -l <mine.yaml)" 7
expect 0 harness list mine.yaml
names sort
finish_walk
