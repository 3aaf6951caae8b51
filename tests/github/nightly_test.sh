#!/usr/bin/env bash
# perf.yml at night and by hand: the history, a job for each suite, a baseline that is asked for by name.
# shellcheck disable=SC2119  # perf takes what the last event says
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages

repository_with_workflows
suite right also_right
speeds 100

# At night every case is measured, the build is compared with itself, and the history is kept. A case that got worse
# since its first result fails.
mkdir suites
sed 's|\./plugin|../plugin|; s/name: demo/name: suite/' suite.yaml >suites/suite.yaml
commit "a suite where the suites are"
nightly() {
  event schedule
  perf --with suite=suites/suite.yaml --with harness=build/release/bin/harness --with arguments=--measure=all
}
step() { echo "[step[\"conclusion\"] for step in result[\"steps\"] if step[\"name\"] == \"$1\"] == [\"$2\"]"; }
nightly
gives 'result["conclusion"] == "success"' "$(step "The build against itself" success)" "$(step History success)" \
  'result["artifacts"] == ["harness-report-suite.yaml"] + (["harness-history-suite.yaml"] if '"$(has_page && echo True || echo False)"' else [])'
speeds 104 && commit "slower"
nightly
gives 'result["conclusion"] == "failure"' "$(step "The build against itself" success)" "$(step History failure)"

# A job is made for each suite.
cp suites/suite.yaml suites/another.yaml
node "$NODE_WORK/runner.mjs" .github/workflows/perf.yml suites "$scratch/event.json" "$result" >"$printed" || problem "runner.mjs failed"
gives 'json.loads(result["outputs"]["files"]) == ["another.yaml", "suite.yaml"]'
sed -i 's/"inputs": {}/"inputs": {"suites": "an*.yaml"}/' "$scratch/event.json"
node "$NODE_WORK/runner.mjs" .github/workflows/perf.yml suites "$scratch/event.json" "$result" >"$printed" || problem "runner.mjs failed"
gives 'json.loads(result["outputs"]["files"]) == ["another.yaml"]'

# A baseline that was asked for by name must be there.
git checkout -q --orphan alone && speeds 100 && commit "no ancestors"
git checkout -qb after && echo more >note && commit "one more"
event workflow_dispatch
perf --with against=alone
gives 'result["status"] == 4' 'result["outputs"]["verdict"] == "missing"'
finish
