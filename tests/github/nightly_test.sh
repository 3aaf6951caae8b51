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
cp "$source_root/.github/workflows/perf.yml" .github/workflows
mkdir suites
sed 's|\./plugin|../plugin|; s/name: demo/name: suite/' suite.yaml >suites/suite.yaml
commit "a suite where the suites are"
nightly() {
  event schedule
  perf --with harness=build/release/bin/harness --with arguments=--measure=all
}
step() { echo "[step[\"conclusion\"] for step in result[\"steps\"] if step[\"name\"] == \"$1\"] == [\"$2\"]"; }
nightly
gives 'result["conclusion"] == "success"' "$(step "The build against itself" success)" "$(step History success)" \
  '[one[:15] for one in result["artifacts"]] == ["harness-report-"] + (["harness-history"] if '"$(has_page && echo True || echo False)"' else [])'
speeds 104 && commit "slower"
nightly
gives 'result["conclusion"] == "failure"' "$(step "The build against itself" success)" "$(step History failure)"

# A job is made for each suite.
cp suites/suite.yaml suites/another.yaml
sed -i 's/name: suite/name: another/' suites/another.yaml && commit "two suites"
files() { python3 -c 'import json,sys; print(*[one["file"] for one in json.loads(json.load(open(sys.argv[1]))["outputs"]["suites"])])' "$scratch/plan.json"; }
event push
perf
same "the suites" "$(files)" "suites/another.yaml suites/suite.yaml"
[ -s "$scratch/measure1.json" ] || problem "one suite was measured"
event workflow_dispatch
sed -i 's/"inputs": {}/"inputs": {"suites": "an*.yaml"}/' "$scratch/event.json"
perf
same "the suites" "$(files)" "suites/another.yaml"

# A baseline that was asked for by name must be there.
git checkout -q --orphan alone && speeds 100 && commit "no ancestors"
git checkout -qb after && echo more >note && commit "one more"
event workflow_dispatch
perf --with against=alone --with suite=suite.yaml --with records=
cp "$scratch/measure0.json" "$result"
gives 'result["status"] == 4' 'result["outputs"]["verdict"] == "missing"'
finish
