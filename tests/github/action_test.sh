#!/usr/bin/env bash
# perf.yml and the action in a repository, from the first push to a red pull request.
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
commit "fast"
pushed

# The first push has nothing to be judged by: recorded, green, with a notice.
event push
perf
gives 'result["conclusion"] == "success"' 'result["outputs"]["verdict"] == "recorded"' \
  'result["outputs"]["regressions"] == "0"' 'result["outputs"]["report-path"] == "harness-report"' \
  '"no baseline" in annotation("notice")[0]["title"]' '"### Recorded" in result["summary"]' \
  'len(result["artifacts"]) == 1 and result["artifacts"][0].startswith("harness-report-suite.yaml-")' \
  'not result["concurrency"]["cancel"] and "refs/heads/main" in result["concurrency"]["group"]'
if has_page; then
  [ -s "$(kept report)/verdict.html" ] || problem "the artifact has no page"
fi
for file in verdict.json verdict.txt junit.xml summary.md annotations.txt log.txt status; do
  [ -s "$(kept report)/$file" ] || [ $file = annotations.txt ] || problem "the artifact has no $file"
done

# The next is judged by it.
echo "a note" >note && commit "nothing that matters" && pushed
event push
perf
gives 'result["conclusion"] == "success"' 'result["outputs"]["verdict"] == "unchanged"' \
  'not annotation("error") and not annotation("notice")' '"Recorded" not in result["summary"]'

# A pull request that changes nothing, then one that slows both cases by 4 %.
git checkout -qb change
echo "more" >>note && commit "still nothing"
event pull_request
perf
gives 'result["conclusion"] == "success"' 'result["outputs"]["verdict"] == "unchanged"' \
  'result["concurrency"]["cancel"] and "-7-" in result["concurrency"]["group"]'
speeds 104 && commit "slower"
event pull_request
perf
gives 'result["conclusion"] == "failure"' 'result["outputs"]["verdict"] == "regressed"' \
  'result["outputs"]["regressions"] == "2"' 'result["status"] == 1' \
  'any(one.get("file") == "suite.yaml" and int(one.get("line", 0)) > 0 for one in annotation("error"))' \
  '"twice/right/n=64" in result["summary"]' '[one[:15] for one in result["artifacts"]] == ["harness-records", "harness-report-"]' \
  '[step["name"] for step in result["steps"] if step["conclusion"] == "failure"] == ["Judge"]'
# It adds nothing to the store: its record is in the artifact.
[ -s "$(kept records)/records.db" ] || problem "the artifact has no records.db"
expect 0 "$HARNESS" records list
silent_about "$(git rev-parse --short=10 HEAD)"
expect 0 "$HARNESS" records list --store "$(kept records)/records.db"
names "$(git rev-parse --short=10 HEAD)"
# An action of its own does not judge it.
# shellcheck disable=SC2016  # the script's own words
sed -i 's/"$HARNESS" run/true/' ci/action/measure.sh 
# shellcheck disable=SC2016  # the script's own words
sed -i 's/^"$harness" compare/true/' ci/action/judge.sh
echo "mkdir -p .harness/action/ci && cp -r ci/action .harness/action/ci/" >>ci/bootstrap.sh
commit "a kind action, and a build that puts it into the place of the other"
event pull_request
perf
gives 'result["conclusion"] == "failure"' 'result["outputs"]["verdict"] == "regressed"'
git revert --no-edit HEAD >/dev/null

# A fork's never starts by itself, whatever else is right about it. A label that names its commit starts it, of somebody who may
# write; and what it measures stays out of the store.
event pull_request elsewhere/kernels
perf
gives 'not result["ran"]' 'result["conclusion"] == "failure"'
head=$(git rev-parse HEAD)
labelled triager read
event pull_request elsewhere/kernels "measure $head"
perf
gives 'not result["ran"]' 'result["conclusion"] == "failure"'
labelled maintainer write
event pull_request elsewhere/kernels "measure $head"
perf
gives 'result["ran"]' 'result["outputs"]["verdict"] == "regressed"'
expect 0 "$HARNESS" records list
silent_about "$(git rev-parse --short=10 HEAD)"
# Its reviewed commit can be dispatched, too.
event workflow_dispatch
perf
gives 'result["ran"]' 'result["outputs"]["verdict"] == "regressed"'
expect 0 "$HARNESS" records list
silent_about "$(git rev-parse --short=10 HEAD)"
[ -s "$(kept records)/records.db" ] || problem "the artifact has no records.db"
# So is its group in a queue of merges judged.
event merge_group
perf
gives 'result["outputs"]["verdict"] == "regressed"' 'result["name"] == "verdict into main"'
# A merged commit is dispatched like a push.
git checkout -q main && event workflow_dispatch
perf
gives 'result["conclusion"] == "success"' '"records.db" not in str(result["artifacts"])'
git checkout -q change
# The target may also have a tag of its name, and a base that is not on the target is none.
event pull_request
git tag origin/main HEAD && git tag main HEAD
perf
gives 'result["outputs"]["verdict"] == "regressed"'
git tag -d origin/main main >/dev/null
event pull_request
sed -i "s/\"base\": {\"sha\": \"[0-9a-f]*\"/\"base\": {\"sha\": \"$(git rev-parse HEAD)\"/" "$scratch/event.json"
perf
gives 'result["conclusion"] == "failure"' 'any("is not on origin/main" in one["message"] for one in annotation("error"))'

# Waived regressions are none that fail.
cat >waivers.yaml <<'YAML'
version: 1
waivers:
  - {pattern: "twice/right/*", ceiling: 9%, expires: 2999-12-31, reason: known}
YAML
commit "one is waived"
event pull_request
perf
gives 'result["conclusion"] == "failure"' 'result["outputs"]["regressions"] == "2"'
# ... but a change does not waive itself: a maintainer's label lets it, for the commit that it was given to.
gives 'any("waivers.yaml" in one["message"] and "accept" in one["message"] for one in annotation("notice"))'
head=$(git rev-parse HEAD)
labelled maintainer admin
event pull_request example/kernels "accept $head"
perf
gives 'result["conclusion"] == "failure"' 'result["outputs"]["regressions"] == "1"'
git rm -q waivers.yaml && commit "none is waived"

# A change that is measured on a machine of another class has lost its baseline.
speeds 100 && sed -i 's/"machine_class": "scripted"/"machine_class": "other"/' speed.json && commit "another machine"
event pull_request
perf
gives 'result["conclusion"] == "failure"' 'result["status"] == 4'

# Inconclusive fails, unless the workflow allows it: then it passes with the verdict in the outputs.
speeds 101 0.05 && commit "noisy"
event pull_request
perf
gives 'result["status"] == 3' 'result["outputs"]["verdict"] == "inconclusive"'
sed -i 's/      harness: build/      allow: inconclusive\n&/' .github/workflows/perf.yml
perf
gives 'result["conclusion"] == "success"' 'result["outputs"]["verdict"] == "inconclusive"'
finish
