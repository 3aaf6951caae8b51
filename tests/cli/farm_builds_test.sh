#!/usr/bin/env bash
# A campaign measures the build that it was planned with: one that is replaced in the middle of a task ends the element, and
# nothing of the task is stored. A file that only looks otherwise is the same build.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right slow held also_right
sed -i 's/timeout: 5s/timeout: 300s/' suite.yaml
speeds 100
commit "fast"
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --block 1 --lease 1h
farm_status() { expect 0 "$HARNESS" farm status --store farm.db --report json=status.json; }

# work_while COMMAND... : an element that is held in a task while the command runs. Sets `status`.
work_while() {
  hold
  "$HARNESS" farm work --store farm.db --quiet >work.log 2>&1 &
  eventually are_held 1
  "$@"
  let_go
  status=0
  wait $! || status=$?
}
replace() {
  cp plugin.so new.so && echo >>new.so && mv new.so plugin.so
}
work_while replace
same "the exit status" $status 4
cp work.log "$printed"
names plugin.so
farm_status
holds status.json 'report["leased"] == 0' '0 < report["done"] < report["tasks"]' 'report["stored"] == 5 * report["done"]' \
  'any("build" in one.get("refused", "") for one in report["elements"])'

# The same contents in another file, with another time.
cp "$PLUGIN" plugin.so
again() { cp plugin.so new.so && mv new.so plugin.so; }
work_while again
same "the exit status" $status 0
farm_status
holds status.json 'report["done"] == report["tasks"]' 'report["stored"] == report["results"]'
expect 0 "$HARNESS" farm judge --store farm.db

# Copies are measured, so that the tree may go on changing, also in the middle of a task.
stage() { expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --block 1 --lease 1h --stage staged; }
stage
work_while replace
same "the exit status" $status 0
farm_status
holds status.json 'report["done"] == report["tasks"]' 'not any(one.get("refused") for one in report["elements"])'
expect 0 "$HARNESS" farm judge --store farm.db
# They are kept by their contents: another build has a folder of its own, and the same one has that which is there.
copies() { find staged -path "*$PWD/plugin.so" -exec cmp -s {} "$1" \; -print | wc -l; }
stage
cp "$PLUGIN" plugin.so
stage
same "copies of the first build" "$(copies "$PLUGIN")" 1
same "builds" "$(find staged -name plugin.so | wc -l)" 2
# A copy that somebody changes is no build of the campaign.
# shellcheck disable=SC2016  # the inner shell's
find staged -name plugin.so -exec cmp -s {} "$PLUGIN" \; -exec sh -c 'echo >>"$1"' _ {} \;
expect 4 "$HARNESS" farm work --store farm.db --quiet
names staged
find staged -name plugin.so -delete
expect 4 "$HARNESS" farm work --store farm.db --quiet
names plugin.so
finish
