#!/usr/bin/env bash
# Variants that are broken, one way each, on the real CPU device.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right slow wrong nan unwritten drifts crashes hangs throws prints
sed -i 's/processes: 5, placements: 3, samples: 20/processes: 2, placements: 2, samples: 5/; s/timeout: 5s/timeout: 2s/' suite.yaml
commit "every way to be wrong"

killed_by_signals
expect 5 "$HARNESS" run suite.yaml --output record.json
# Messages of the operating system and of the variant are passed on.
says "Segmentation fault" "no memory for the plan"
silent_about "a workload that talks"  # printed by a case that was well, before or after one that was not
holds record.json '{case["id"].split("/")[1]: case["outcome"] for case in report["cases"]} == {
  "right": "measured", "slow": "measured", "prints": "measured", "wrong": "incorrect", "nan": "incorrect",
  "unwritten": "incorrect", "drifts": "incorrect", "crashes": "failed", "throws": "failed", "hangs": "timed_out"}'

# --filter leaves the broken ones out.
expect 0 "$HARNESS" run suite.yaml --filter '*/right/*'
expect 2 "$HARNESS" run suite.yaml --filter '*/rihgt/*'

# Lists without running, in all formats.
expect 0 "$HARNESS" list suite.yaml
names 'twice/*/n=64' unwritten
# shellcheck disable=SC2016  # the inner shell's
expect 0 sh -c '"$1" list suite.yaml --format json >plan.json' list "$HARNESS"  # stderr says that 2 processes are few
holds plan.json 'report'

# --require-gpu is an error here or runs there.
gpu_suite
expect 2 "$HARNESS" run gpu.yaml --require-gpu --device cpu
names --require-gpu
expect 4 "$HARNESS" run gpu.yaml --device cpu
names --allow
expect 0 "$HARNESS" run gpu.yaml --device cpu --allow skipped --output gpu.json
holds gpu.json 'row()["outcome"] == "skipped"'

# A slip in the suite is told with its line and the nearest name.
cat >bad.yaml <<'YAML'
version: 2
name: bad
modules: [./plugin.so]
cases:
  - workload: twice
    variants: [right]
    axes: {n: [4]}
    tgas: [x]
YAML
expect 2 "$HARNESS" list bad.yaml
names bad.yaml:8 tgas tags
finish
