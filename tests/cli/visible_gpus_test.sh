#!/usr/bin/env bash
# CUDA sees the GPUs of a worker's job and no others. A stand-in for the CUDA module logs what it is shown.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
stand_in_suite 'gpus: [1, 2], n: 64' 2
commit "something for GPUs"
stand_in_gpus 3

# sees WHAT LINE... : each worker that the last run started saw one of these, and opened these numbers of it.
sees() {
  same "what CUDA sees $1" "$(sort -u opened)" "$(printf '%s\n' "${@:2}")"
  rm -f opened
}

# A case of one GPU sees that one; a case of two sees both, the first as cuda:0.
expect 0 "$HARNESS" run suite.yaml --device cuda:2,cuda:1 --output two.json
sees "of two" "2,1: 0,1" "2: 0"
python3 - <<'PY' || problem "the cases were not measured on their GPUs"
import json
record = json.load(open("two.json"))
assert [(case["outcome"], case.get("gpus", 1)) for case in record["cases"]] == [("measured", 1), ("measured", 2)], record["cases"]
assert record["machines"]["cuda"]["uuid"] == "GPU-2", record["machines"]
PY

# Only GPUs that the user lets see count, and keep their names.
CUDA_VISIBLE_DEVICES=2,GPU-0 expect 0 "$HARNESS" run suite.yaml --device cuda:1
sees "of one that the user shows" "GPU-0: 0"

# Processes that take turns on several see one at a time.
sed 's/gpus: \[1, 2\]/gpus: 1/; s/^name: shared/&\ndevices: any-of-class/' suite.yaml >turns.yaml
expect 0 "$HARNESS" run turns.yaml --device cuda:0,cuda:1
sees "in turns" "0: 0" "1: 0"

# A module in Python sees in os.environ what CUDA sees. PyTorch counts GPUs by it.
cat >seen.py <<'PY'
import os
import harness

scale = harness.Workload("scale", inputs={"x": "f32[n]"}, outputs={"y": "f32[n]"}, reference=lambda x: x)

@harness.case(scale, arrays="memoryview")
def copy(x, y):
    y[:] = x

with open("seen", "a", encoding="utf-8") as file:
    print(os.environ.get("CUDA_VISIBLE_DEVICES", "all"), file=file)
PY
sed 's/gpus: \[1, 2\]/gpus: 1/; s#\[./plugin.so\]#[./plugin.so, ./seen.py]#' suite.yaml >python.yaml
expect 0 "$HARNESS" run python.yaml --device cuda:2
same "what Python sees" "$(sort -u seen)" "$(printf '2\nall')"  # while planning, all
finish
