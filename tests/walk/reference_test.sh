#!/usr/bin/env bash
# The reference: the commands there are, names of records, a base commit, builds in folders, calibration of records.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
shows=exact
page manual/reference.md 'Start'
step 0 "harness --help"
shows=like

git update-ref refs/remotes/origin/main main
page manual/reference.md 'run'
step 0 "harness run"
step 0 "harness run"
step 0 "harness records list"
names @before
# The comment of the third command: then compare.
echo words >note && commit "a note"
expect 0 harness run suites/fusion.yaml
expect 0 harness compare --baseline @before

git checkout -qb change && echo more >note && commit "a change"
page manual/reference.md 'ab'
mkdir -p old/build && ci/bootstrap.sh && cp -r build/release/. build && cp -r build/release/. old/build
step 0 "harness ab"

page manual/reference.md 'report'
step 0 "harness report --html"
[ -s deep-dive.html ] || problem "there is no page"
step 0 "harness report main"
grep -q "15.2x" deep-dive.md || problem "the claims of the suites are not in it"

page manual/reference.md 'calibrate'
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
