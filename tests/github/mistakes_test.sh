#!/usr/bin/env bash
# perf.yml and the action when they are used wrongly: each mistake is an annotation with its advice.
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
expect 0 run
git checkout -qb change
echo "a note" >note && commit "nothing that matters"

# Mistakes come with their advice, as an annotation and in the summary.
cp suite.yaml good.yaml && suite rigth
event pull_request
perf
gives 'result["status"] == 2' 'result["outputs"]["verdict"] == "error"' \
  '"right" in annotation("error")[0]["message"]' '"rigth" in result["summary"]'
mv good.yaml suite.yaml
perf --with harness=/no/such/harness
gives 'result["status"] == 2' 'result["outputs"]["verdict"] == "error"' '"No verdict" in result["summary"]' \
  '"does not start" in annotation("error")[0]["message"]'
perf --with report=..
gives 'result["conclusion"] == "failure"' '"cannot be used" in annotation("error")[0]["message"]'
cp .github/workflows/perf.yml "$scratch/perf.yml"
sed -i 's/      harness: build/      allow: left-out\n&/' .github/workflows/perf.yml
perf --with $'arguments=--device=scripted:speed.json\n\n--filter\n*/also_right/*'
cp "$scratch/perf.yml" .github/workflows/perf.yml
gives 'result["conclusion"] == "success"' '"only 1 of 2 cases" in result["summary"]' \
  '"twice/also_right/n=64" in result["summary"]'  # the other one is told as left out

# With write rights, no code of a pull request is run.
event pull_request_target
sed 's/^  pull_request:/  pull_request_target:/' .github/workflows/perf.yml >"$scratch/perf.yml"
caller=$scratch/perf.yml perf
gives 'result["conclusion"] == "failure"' '"write rights" in annotation("error")[0]["message"]' \
  '[step["conclusion"] for step in result["steps"] if step["name"] == "Measure and judge"][0] == "skipped"'

# A shallow clone is told before anything is built or measured.
git clone -q --depth 1 --no-single-branch "file://$work" "$scratch/shallow"
cp -r .harness plugin.so "$scratch/shallow/"
cd "$scratch/shallow" || exit 1
event pull_request
perf
gives 'result["status"] == 2' '"fetch-depth: 0" in annotation("error")[0]["message"]' \
  '"No verdict" in result["summary"]' '[step["conclusion"] for step in result["steps"] if step["name"] == "Find the program"][0] == "skipped"'
finish
