#!/usr/bin/env bash
# `harness ab` on two folders that were built before: no repository, no compiler, and no program of their own
# where both fit into one process. Time is scripted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${OTHER_ABI:?}" "${KERNELS:?}"

cat >suite.yaml <<'YAML'
version: 2
name: built
defaults: {sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: 63}}
YAML
script() { # script BASELINE_US CURRENT_US
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": $1, "process_sd": 0.02, "sample_sd": 0.01},
 {"match": "*", "side": "current", "us": $2, "process_sd": 0.02, "sample_sd": 0.01}]}
JSON
}
for folder in one other; do
  mkdir -p $folder/lib
  cp "$KERNELS" $folder/lib/libharness_kernels.so
done
ab() {
  "$HARNESS" ab suite.yaml --baseline-build one --current-build other --device scripted:speed.json --color never "$@"
}

# A slip in what both builds share is told once.
expect 2 "$HARNESS" ab absent.yaml --baseline-build one --current-build other
[ "$(grep -c "no such suite" "$printed")" -eq 1 ] || problem "the missing suite is not told once"

# In one process, where processes that differ by 2 % could not have told.
script 100 102
expect 1 ab --report json=slower.json
holds slower.json 'report["verdict"] == "regressed"' 'report["pairing"] == "process"' 'row()["case"] == "probe_copy/memcpy/n=63"'
read -r old new < <(python3 -c 'import json; d=json.load(open("slower.json")); print(d["baseline"]["id"], d["current"]["id"])')
expect 1 "$HARNESS" compare --baseline "$old" --current "$new" --report json=again.json
holds again.json 'report["pairing"] == "process"'
script 100 100
expect 0 ab --pair process --report json=equal.json
holds equal.json 'report["verdict"] == "unchanged"'

# Builds that do not fit into one process take turns, which needs programs.
expect 2 ab --pair session
names one bin/harness
cp "$OTHER_ABI" other/lib/libharness_kernels.so
expect 2 ab
names ABI
silent_about "--pair process:"
cp "$KERNELS" other/lib/libharness_kernels.so
expect 2 "$HARNESS" ab suite.yaml --baseline-build one --current-build ./one/ --device scripted:speed.json
for folder in one other; do
  mkdir -p $folder/bin
  ln -s "$HARNESS" $folder/bin/harness
done
expect 0 ab --pair session --report json=session.json
holds session.json 'report["verdict"] == "unchanged"' 'report["pairing"] == "session"'
cp "$OTHER_ABI" other/lib/libharness_kernels.so
expect 0 ab --report json=turns.json
names ABI
holds turns.json 'report["pairing"] == "session"'

# Slips: every folder that is wrong is named, and nothing is measured.
rm -rf .harness
expect 2 "$HARNESS" ab suite.yaml --baseline-build nowhere --current-build suite.yaml
names nowhere --baseline-build --current-build lib/libharness_kernels.so
expect 2 "$HARNESS" ab suite.yaml --baseline-build one
names --current-build
expect 2 "$HARNESS" ab suite.yaml --current-build one
names --baseline-build
expect 2 "$HARNESS" ab missing.yaml --baseline-build one --current-build other
names missing.yaml
finish
