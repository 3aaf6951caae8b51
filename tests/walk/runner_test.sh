#!/usr/bin/env bash
# A new runner with an empty store: the first push passes, the second is compared with it, and a pull request whose base
# nobody measured is judged by measuring its merge base beside it.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
against="harness run suites/fusion.yaml --against main"
both() { # both BASELINE_US CURRENT_US: a script that knows the sides
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": $1, "process_sd": 0.001, "sample_sd": 0.01},
 {"match": "*", "us": $2, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
}

# The first push.
expect 0 bash -c "$against --report json=first.json"
holds first.json 'report["exit_code"] == 0' 'report["baseline"]["id"] == ""' 'report["baseline"]["found"]["first"]'
# The second push.
echo more >note && commit "the second push"
expect 0 bash -c "$against --report json=second.json"
holds second.json 'report["verdict"] in ("unchanged", "not_worse")' 'report["baseline"]["distance"] == 1'

# A pull request on a new runner.
base=$(git rev-parse HEAD)
git checkout -qb change && both 100 110 && commit "slower"
git checkout -q main && echo later >later && commit "main goes on" && git checkout -q change
rm -rf .harness
expect 1 bash -c "$against --build ci/bootstrap.sh --report json=change.json"
holds change.json 'report["verdict"] == "regressed"' "report['baseline']['revision']['commit'] == '$base'"
finish_walk
