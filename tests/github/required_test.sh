#!/usr/bin/env bash
# The job that branch rules require passes only where the measuring passed: not where it was skipped, as for a fork. And what
# a build prints is no workflow command.
# shellcheck disable=SC2119  # perf takes what the last event says
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages

repository_with_workflows
suite right && speeds 100 && commit "a suite" && pushed
git checkout -qb change && echo more >note && commit "a change"
event pull_request somebody/kernels
perf
gives 'not result["ran"]' 'result["conclusion"] == "failure"' '"label: measure" in annotation("error")[0]["message"]'
git checkout -q main
event push
perf
gives 'result["ran"]' 'result["conclusion"] == "success"'
for outcome in failure cancelled skipped; do
  sed -i "s/^ \"conclusion\": \"[a-z]*\"/ \"conclusion\": \"$outcome\"/" "$scratch/measure0.json"
  conclude "$scratch/measure0.json"
  gives 'result["conclusion"] == "failure"'
done

# Nor by the records of an earlier attempt.
git checkout -q change
event pull_request
perf
gives 'result["conclusion"] == "success"' 'result["outputs"]["verdict"] == "unchanged"' 'result["name"] == "verdict into main"'
for outcome in failure cancelled skipped; do
  sed -i "s/^ \"conclusion\": \"[a-z]*\"/ \"conclusion\": \"$outcome\"/" "$scratch/measure0.json"
  conclude "$scratch/measure0.json"
  gives 'result["conclusion"] == "failure"'
done
git checkout -q main

event push
sed -i '2i echo ::error::planted; echo ::set-output name=verdict::planted' ci/bootstrap.sh && commit "a build that talks" && pushed
perf
gives 'result["conclusion"] == "success"' 'all(one["message"] != "planted" for one in result["annotations"])'
finish
