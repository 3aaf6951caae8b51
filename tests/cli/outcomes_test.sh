#!/usr/bin/env bash
# What the worker does with variants that are broken, one way each; on the real CPU device.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right slow wrong nan unwritten drifts crashes hangs throws prints
sed -i 's/processes: 5, placements: 3, samples: 20/processes: 2, placements: 2, samples: 5/; s/timeout: 5s/timeout: 700ms/' suite.yaml
commit "every way to be wrong"

# In a build with sanitizers they would catch the signal that the variant dies of.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0 TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0
expect 5 "$HARNESS" run suite.yaml --output record.json
python3 - <<'PY' || problem "the record does not tell the outcomes apart"
import json
cases = {case["id"].split("/")[1]: case for case in json.load(open("record.json"))["cases"]}
want = {"right": "measured", "slow": "measured", "prints": "measured", "wrong": "incorrect", "nan": "incorrect",
        "unwritten": "incorrect", "drifts": "incorrect", "crashes": "failed", "throws": "failed", "hangs": "timed_out"}
for name, outcome in want.items():
    assert cases[name]["outcome"] == outcome, (name, cases[name]["outcome"], cases[name].get("reason"))
assert "Segmentation fault" in cases["crashes"]["reason"]
assert "no memory for the plan" in cases["throws"]["reason"]
PY
says "INCORRECT: 4" "FAILED: 2" "TIMED OUT: 1" "Segmentation fault" "no memory for the plan"

silent_about "a workload that talks"  # printed by a case that was well, before or after one that was not

# --filter leaves the broken ones out.
expect 0 "$HARNESS" run suite.yaml --filter '*/right/*'
expect 2 "$HARNESS" run suite.yaml --filter '*/rihgt/*'

# Lists without running, and says so in all formats.
expect 0 "$HARNESS" list suite.yaml
says "twice/*/n=64" "unwritten"
expect 0 "$HARNESS" list suite.yaml --format json
python3 -m json.tool "$printed" >/dev/null || problem "list --format json is not JSON"

# --require-gpu is an error here or runs there; without a GPU it names the reason.
cat >gpu.yaml <<'YAML'
version: 1
name: gpu
cases:
  - workload: linear_gelu
    variants: [cublas_unfused]
    axes: {dtype: [f16], m: [64], n: [64], k: [64]}
YAML
expect 2 "$HARNESS" run gpu.yaml --require-gpu --device cpu
says "--require-gpu" "advice:"
expect 0 "$HARNESS" run gpu.yaml --device cpu
says "skipped: 1 case"

# A suite that is wrong in three ways, all told at once with their lines.
cat >bad.yaml <<'YAML'
version: 1
name: bad
modules: [./plugin.so]
cases:
  - workload: twice
    variants: [rigth]
    axes: {n: [-4]}
    tgas: [x]
YAML
expect 2 "$HARNESS" list bad.yaml
says "bad.yaml:" "tgas" "did you mean"
finish
