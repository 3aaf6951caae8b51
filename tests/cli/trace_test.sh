#!/usr/bin/env bash
# Programs under the trace. A stand-in writes the trace files that the tracing library would write, so all times are
# scripted, and no GPU is needed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

traced_suite
cat >step <<'TXT'
copy 2000
gemm_128x128 96 400000
gelu 512 90000
gemm_128x128 24 400000
norm 64 10000
TXT
compare() { "$HARNESS" compare --baseline base.json --current "$1" --color never --report json=verdict.json; }
changed() { # changed NAME SED: the record of a step that differs
  cp step kept && sed -i "$2" step
  expect 0 run --output "$1.json"
  mv kept step
}

# The table of a command: steps by their period, by a range, and the whole run.
trace() { "$HARNESS" trace --color never "$@" -- "$FAKE_TRACED" step 30; }
expect 0 trace --report json=trace.json
names gemm_128x128 gelu norm period overhead
holds trace.json 'report["trace"]["steps_by"] == "period"' 'report["trace"]["launches_a_step"] == 4' \
  'len(report["trace"]["steps_us"]["kernel"]) == 30' 'report["trace"]["launches_outside"] == 1' \
  'abs(report["trace"]["steps_us"]["kernel"][0] - 900) < 1' 'report["wall"]["untraced_s"] > 0' \
  'set(report["trace"]["steps_us"]["copy"]) == {2}'
expect 0 trace --steps nvtx:step --only-traced --keep kept_files
names "step"
expect 0 "$HARNESS" trace --from kept_files --steps whole --format csv
same "kept files" "$(find kept_files -type f | wc -l)" 1
expect 2 trace --keep kept_files
expect 5 trace --steps nvtx:epoch
names epoch
expect 2 trace --steps sometimes
expect 2 "$HARNESS" trace
expect 5 "$HARNESS" trace -- false
for format in markdown html junit github csv json; do expect 0 trace --only-traced --format $format; done

# As a case: the step's own metrics, and a row a kernel.
expect 0 run --output base.json
names train gemm_128x128
python3 - <<'PY' || problem "the record is not as it should be"
import json
cases = {one["id"]: one for one in json.load(open("base.json"))["cases"]}
wanted = ["train", "train/gemm_128x128/grid=96/block=256", "train/gelu/grid=512/block=256",
          "train/gemm_128x128/grid=24/block=256", "train/norm/grid=64/block=256"]
assert list(cases) == wanted, list(cases)
metrics = [one["metric"] for one in cases["train"]["metrics"]]
assert metrics == ["kernel_time", "busy_time", "copy_time", "span", "gaps", "wall_time", "user_time", "system_time", "peak_memory"], metrics
assert len(cases["train"]["results"]) == 5
assert [one["launches"] for one in cases["train"]["results"][0]["kernels"]] == [1, 1, 1, 1]
PY
same "trace folders left" "$(find "${TMPDIR:-/tmp}" -maxdepth 3 -name '*.trace' -newer step -path '*harness*' 2>/dev/null | wc -l)" 0

# Unchanged, and a kernel of 1.1 % of the step that is 10 % slower.
changed same 's/x/x/'
expect 0 compare same.json
holds verdict.json 'row("train", "wall_time")["informative"]' \
  'row("train/gelu", "kernel_time")["verdict"] in ("unchanged", "not_worse")'
changed norm 's/norm 64 10000/norm 64 11000/'
expect 1 compare norm.json
holds verdict.json 'row("train/norm", "kernel_time")["verdict"] == "regressed"' \
  'row("train/gelu", "kernel_time")["verdict"] in ("unchanged", "not_worse")'

# A wider layer: another grid. Its counterpart is found, and it is red by its name.
changed wider 's/gemm_128x128 96 400000/gemm_128x128 98 408000/'
expect 1 compare wider.json
holds verdict.json 'row("train/gemm_128x128/grid=98", "kernel_time")["verdict"] == "regressed"' \
  'not [one for one in report["cases"] if one["verdict"] == "missing"]'

# Another kernel in the same place is compared with it. One more and one less are told, and the step decides.
changed renamed 's/gelu 512/fused_gelu 512/'
expect 0 compare renamed.json
holds verdict.json 'row("train/fused_gelu", "kernel_time")["verdict"] in ("unchanged", "not_worse")'
# shellcheck disable=SC2016  # a is a variable of that script
changed added '$a extra 7 50'
expect 0 compare added.json
names extra
# shellcheck disable=SC2016  # a is a variable of that script
changed more '$a extra 7 20000'
expect 1 compare more.json
names extra
holds verdict.json 'any(one["case"] == "train" and one["verdict"] == "regressed" for one in report["cases"])'
changed vanished '/norm/d'
expect 0 compare vanished.json
names norm

# Steps by a range.
sed -i 's/reads: cuda_trace/reads: cuda_trace\n    steps: {nvtx: step}/' suite.yaml
expect 0 run --output range.json
python3 - <<'PY' || problem "the steps are not those of the range"
import json
case = json.load(open("range.json"))["cases"][0]
note = next(one for one in case["results"][0]["notes"] if one["code"] == "steps_found")
assert note["source"] == "nvtx" and note["steps"] == 30, note
assert any(one["code"] == "trace_overhead" for one in case["results"][0]["notes"])
PY

# Void traces fail, with the reason.
for fault in "hold Nsight" "drop 3" unfinished; do
  cp step kept && echo "$fault" >>step
  expect 5 run
  [ "${fault% *}" != hold ] || names "${fault#hold }"
  expect 5 trace --only-traced
  mv kept step
done

# Children are traced.
cp step inner
cp step kept && echo "child inner" >>step
expect 0 trace --only-traced --report json=trace.json
holds trace.json 'report["trace"]["processes"] == 2' 'report["trace"]["launches_a_step"] == 8'
mv kept step

# Another tool that wants to be loaded into programs, and no library.
expect 2 env CUDA_INJECTION64_PATH=/opt/tool.so "$HARNESS" trace -- true
names /opt/tool.so
expect 2 env HARNESS_TRACE_LIBRARY=/nowhere.so "$HARNESS" trace -- true
names nowhere.so

finish
