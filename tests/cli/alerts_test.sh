#!/usr/bin/env bash
# Alerts of a branch: marked by people, and counted by `history`.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right
# night MICROSECONDS STATUS: a commit of that speed, judged by what was measured before it.
night() {
  speeds "$1" && date +%N >note && commit "$1 us"
  expect "$2" run --against HEAD --measure all --no-confirm --looks 1 "${@:3}"
}
newest() { "$HARNESS" records list --format json | python3 -c 'import json,sys; print(json.load(sys.stdin)["records"][0]["id"])'; }
history() { expect 0 "$HARNESS" history --report json=history.json; }
speeds 100 && commit "fast"
expect 0 run

# No alert, no lines.
history
holds history.json 'report["alerts"]["alerts"] == []' 'report["alerts"]["precision"] is None'
silent_about "alerts since"

# Two red nights are one alert; then one of its own.
night 104 1
first=$(newest)
night 104 1
night 100 0
good=$(newest)
night 110 1
second=$(newest)
night 100 0
history
names "${second:0:8}"
holds history.json 'report["alerts"]["unmarked"] == 2' '[len(one["records"]) for one in report["alerts"]["alerts"]] == [2, 1]' \
  '[one["mark"] for one in report["alerts"]["alerts"]] == [None, None]' 'len(report["alerts"]["alerts"][0]["cases"]) == 2'

# Marked, and a mark is no name that somebody gave.
expect 0 "$HARNESS" records mark true "$first"
expect 0 "$HARNESS" records mark false "${second:0:8}"
history
holds history.json 'report["alerts"]["unmarked"] == 0' \
  '(report["alerts"]["precision"]["hits"], report["alerts"]["precision"]["trials"]) == (1, 2)' \
  'report["alerts"]["precision"]["interval"][0] < 0.1' 'report["alerts"]["recall"]["rate"] == 1'
expect 0 "$HARNESS" records list --report json=list.json
holds list.json 'sorted(one["mark"] for one in report["records"] if one["mark"]) == ["false", "true"]' 'not any(one["names"] for one in report["records"])'
expect 2 "$HARNESS" compare --baseline @alert
silent_about alert:

# Another mark takes the place of the first, `none` takes it back, and a slowdown that nothing told is missed.
expect 0 "$HARNESS" records mark true "$second"
expect 0 "$HARNESS" records mark none "$first"
expect 0 "$HARNESS" records mark missed "$good"
history
holds history.json '[one["mark"] for one in report["alerts"]["alerts"]] == [None, "true"]' \
  '[one["source"] for one in report["alerts"]["missed"]] == ["mark"]' 'report["alerts"]["recall"]["trials"] == 2'

# A slowdown that a waiver accepts is no alert.
cat >waivers.yaml <<'YAML'
version: 1
waivers:
  - {pattern: "*", ceiling: 20%, expires: 2999-12-31, reason: known}
YAML
commit "waived"
night 110 0 --accept-proposed
history
holds history.json 'len(report["alerts"]["alerts"]) == 2'

# A part of the history cannot tell what was missed.
expect 0 "$HARNESS" history '*/right/*' --report json=part.json
holds part.json 'report["alerts"] is None'
silent_about "alerts since"

# Ninety days later nothing of it counts.
HARNESS_TODAY=$(date -u -d "+91 days" +%F) expect 0 "$HARNESS" history --report json=later.json
holds later.json 'report["alerts"]["alerts"] == [] and report["alerts"]["missed"] == []'

# A marked record is spared.
expect 0 "$HARNESS" records prune --keep 0
expect 0 "$HARNESS" records list --report json=left.json
holds left.json '[one["mark"] for one in report["records"]] == ["true", "missed"]'

# Slips.
expect 2 "$HARNESS" records mark true "$good"
names missed "$good"
expect 2 "$HARNESS" records mark ture "$second"
names true
expect 2 "$HARNESS" records mark true
expect 2 "$HARNESS" records mark true 00000000
expect 4 "$HARNESS" records mark true "$second" --store nowhere.db
absent nowhere.db
finish
