#!/usr/bin/env bash
# The first measurements on a runner pass, and the second are compared with them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100
commit "the first push"
expect 0 run --against HEAD --report json=first.json,junit=first.xml,github=first.txt
holds first.json 'report["exit_code"] == 0' 'report["baseline"]["id"] == ""' 'row()["verdict"] == "missing"'
! grep -q '<failure\|<error' first.xml || problem "first.xml is red: $(cat first.xml)"
! grep -q '^::error\|^::warning' first.txt || problem "first.txt alarms: $(cat first.txt)"

# The second run is held to the first.
speeds 104
commit "the second push, which is slower"
expect 1 run --against main --report json=second.json
holds second.json 'report["verdict"] == "regressed"' 'report["baseline"]["distance"] == 1'

# A pin of another GPU of the model judges nothing here, but for who allows it.
git checkout -q HEAD~1 -- speed.json
expect 0 "$HARNESS" run suite.yaml --device scripted:speed.json --store .harness/pin.db --processes 20
expect 0 "$HARNESS" baseline promote HEAD --store .harness/pin.db --author tester --reason pin --allow-dirty
commit "a pin"
speeds 100 0.001 GPU-B
commit "another GPU"
expect 0 run --store .harness/fresh.db --against main --report json=other.json
holds other.json 'report["exit_code"] == 0' 'report["baseline"]["id"] == ""'
expect 0 run --store .harness/allowed.db --against main --allow-other-device --margin 3% --report json=allowed.json
holds allowed.json 'row()["verdict"] in ("unchanged", "not_worse")'

# A failure is no first measurement that passes; nor is a lost baseline of a change, or compare.
suite wrong && commit "wrong"
expect 5 run --store .harness/wrong.db --against main
suite right && commit "right"
git checkout -qb change && echo >note && commit "a change"
expect 4 run --store .harness/change.db --against main
expect 4 "$HARNESS" compare --store .harness/change.db --baseline main --current HEAD

# A change that renames its suite has lost its baseline: no first run, and red on GitHub until a maintainer accepts it.
# concludes STATUS ACCEPTED: the status that the action ends with.
concludes() {
  mkdir -p report && cp elsewhere.json report/verdict.json && echo 4 >report/status
  REPORT=report INPUT_AGAINST='' INPUT_ACCEPT_PROPOSED=$2 GITHUB_STEP_SUMMARY=$scratch/summary GITHUB_OUTPUT=$scratch/outputs \
    python3 "$tests/../ci/action/report.py" >"$printed"
  same "the status of the action" "$(sed -n 's/^status=//p' "$scratch/outputs" | tail -1)" "$1"
}
git checkout -q main && expect 0 run --store .harness/base.db && git checkout -q change
sed -i 's/^name: demo/name: renamed/' suite.yaml && commit "renamed"
expect 4 run --store .harness/base.db --against main --report json=elsewhere.json
holds elsewhere.json 'report["baseline"]["found"]["elsewhere"]'
concludes 4 false
concludes 0 true
expect 4 run --store .harness/empty.db --against main --report json=elsewhere.json
holds elsewhere.json '"elsewhere" not in report["baseline"]["found"]'
concludes 0 false

# So has one that is measured on a machine of another class.
git checkout -q main && git checkout -qb moved && sed -i 's/"machine_class": "scripted"/"machine_class": "other"/' speed.json && git commit -qam "moved"
rm -f "$scratch/outputs"
expect 4 run --store .harness/base.db --against main --report json=elsewhere.json
holds elsewhere.json 'report["baseline"]["found"]["elsewhere"]'
concludes 4 false
concludes 0 true

# Where something was measured, it judges.
git checkout -q main
expect 0 run --store .harness/red.db
echo more >note && speeds 110 0.001 GPU-B && commit "slower"
expect 1 run --store .harness/red.db --against main

finish
