#!/usr/bin/env bash
# The page of programs, in an empty folder, with a compiler: its files and its commands. Real times are judged, beside whatever
# runs here, so undecided is right, too.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

python3 "$here/commands.py" --file manual/gate-a-program.md c 0 >count.c
python3 "$here/commands.py" --file manual/gate-a-program.md yaml 0 >suite.yaml
page manual/gate-a-program.md 'Start'
step 0 "git init"
step 0 "harness list"
step 0 "git switch"
step "1 3" "harness ab"
expect 0 cc -O2 count.c -o count
step 0 "harness time"

git switch -q main
page manual/gate-a-program.md 'In CI'
step 0 "harness run"
git switch -q change
step "1 3" "harness run"
finish_walk
