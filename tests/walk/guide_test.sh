#!/usr/bin/env bash
# The guide: names of records, a base commit, builds in folders, calibration of records.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
page harness/cli/commands/guide.md 'Records, and a first look'
step 0 "harness run"
step 0 "harness records list"
names @before
# The comment of the first command: then compare.
echo words >note && commit "a note"
expect 0 harness run suites/fusion.yaml
expect 0 harness compare --baseline @before

git update-ref refs/remotes/origin/main main
git checkout -qb change && echo more >note && commit "a change"
page harness/cli/commands/guide.md 'run --against'
step 0 "harness run"
page harness/cli/commands/guide.md 'run, compare: what fails, and what may be allowed'
step 0 "harness run"

page harness/cli/commands/guide.md 'ab'
mkdir -p old/build && ci/bootstrap.sh && cp -r build/release/. build && cp -r build/release/. old/build
step 0 "harness ab"

page harness/cli/commands/guide.md 'report'
step 0 "harness report --html"
[ -s deep-dive.html ] || problem "there is no page"
step 0 "harness report main"
grep -q "15.2x" deep-dive.md || problem "the claims of the suites are not in it"

page harness/cli/commands/guide.md 'time'
printf '#!/bin/sh\n' >./sort && chmod +x sort
step 0 "harness time"

page harness/cli/commands/guide.md 'calibrate'
step 0 "harness calibrate"
for day in monday tuesday; do
  expect 0 harness run suites/fusion.yaml --output $day.json
done
step 0 "harness calibrate --from"
step 0 "harness calibrate"
[[ $(git status --porcelain) == *suites/fusion.yaml* ]] || problem "--write did not change the suite"
step 0 "harness calibrate"
names machine
expect 0 harness list suites/fusion.yaml
finish_walk
