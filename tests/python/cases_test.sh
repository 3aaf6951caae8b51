#!/usr/bin/env bash
# Cases in Python by the program: measured, verified, compared; two commits in one process; mistakes with their place.
# Verdicts come from the scripted device.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# The structs of the package are those of the header.
python3 - "$tests/.." "${CC:-cc}" <<'PY' || problem "harness.abi is not harness/sdk/plugin.h"
import ctypes, os, subprocess, sys
root, compiler = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "python"))
from harness import abi
structs = {"harness_parameter": abi.Parameter, "harness_variant": abi.Variant, "harness_value": abi.GivenValue,
           "harness_request": abi.Request, "harness_tensor": abi.GivenTensor, "harness_problem": abi.Problem,
           "harness_plugin_description": abi.Description}
fields = [(name, field[0]) for name, struct in structs.items() for field in struct._fields_]
lines = [f'printf("%zu %zu\\n", offsetof({name}, {field}), sizeof(((({name} *)0)->{field})));' for name, field in fields]
source = '#include "harness/sdk/plugin.h"\n#include <stdio.h>\nint main(void) {' + "".join(lines) + \
    'printf("%d\\n", HARNESS_PLUGIN_VERSION); return 0; }'
subprocess.run([compiler, "-x", "c", "-I", root, "-o", "sizes", "-"], input=source.encode(), check=True)
*found, version = subprocess.run(["./sizes"], capture_output=True, check=True, text=True).stdout.splitlines()
wanted = [f"{getattr(structs[name], field).offset} {getattr(structs[name], field).size}" for name, field in fields]
assert found == wanted, [one for one in zip(fields, found, wanted) if one[1] != one[2]]
assert int(version) == abi.VERSION
PY
rm -f sizes

git init -q -b main .
echo .harness/ >.gitignore
cat >helper.py <<'PY'
factor = 3
PY
cat >cases.py <<'PY'
import harness
import helper

scale = harness.Workload("scale", inputs={"x": "f32[n]"}, outputs={"y": "f32[n]"},
                         reference=lambda x: [helper.factor * value for value in x])

@harness.case(scale, arrays="memoryview")
def loop(x, y):
    """One loop."""
    for i, value in enumerate(x):
        y[i] = helper.factor * value

@harness.case(scale, arrays="memoryview")
def wrong(x, y):
    loop(x, y)
    y[0] += 1

@harness.case(scale, arrays="memoryview")
def throws(x, y):
    loop(x, y)
    raise KeyError("missing")

@harness.case(scale)
def skipped(x, y):
    raise harness.Unsupported("not on this machine")

@harness.case(scale, arrays="memoryview")
def writes_nothing(x, y):
    pass
PY
# suite VARIANT... : these cases, at two points.
suite() {
  local variants
  variants=$(IFS=,; echo "$*")
  cat >suite.yaml <<YAML
version: 2
name: python
modules: [./cases.py]
build: "true"
defaults:
  sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}
cases:
  - workload: scale
    variants: [$variants]
    axes: {n: [16, 64]}
YAML
}
speeds 100

suite loop
git add -A && git commit -qm "as it was"
expect 0 "$HARNESS" list suite.yaml --device cpu
names scale/loop n=16 n=64
# On the real CPU each value is checked; no verdict rests on its time.
expect 0 "$HARNESS" run suite.yaml --device cpu --output cpu.json
python3 - <<'PY' || problem "the record is not as it should be"
import json
case = next(one for one in json.load(open("cpu.json"))["cases"] if one["id"] == "scale/loop/n=64")
time = next(one for one in case["metrics"] if one["metric"] == "wall_time")
assert len(time["processes"]) == 5, time
assert all(sample > 0 for process in time["processes"] for placement in process["placements"] for sample in placement["samples"])
PY

suite wrong throws skipped writes_nothing
expect 5 "$HARNESS" run suite.yaml --device cpu --report json=mistakes.json
holds mistakes.json 'row("scale/wrong/n=16")["outcome"] == "incorrect"' \
  'row("scale/writes_nothing/n=16")["outcome"] == "incorrect"' \
  'row("scale/throws/n=16")["outcome"] == "failed"' \
  'row("scale/skipped/n=16")["outcome"] == "skipped"'
names "cases.py:21:" KeyError

# Two commits in one process: each has its own file and helper.
suite loop
git checkout -q -- suite.yaml
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": 100, "process_sd": 0.02, "sample_sd": 0.003},
 {"match": "*", "side": "current", "us": 102, "process_sd": 0.02, "sample_sd": 0.003}]}
JSON
sed -i 's/^    for i, value/    value = 0\n    for i, value/' cases.py
git commit -qam "another way"
expect 1 "$HARNESS" ab suite.yaml --baseline HEAD~1 --pair process --device scripted:speed.json --report json=ab.json
holds ab.json 'report["verdict"] == "regressed"' 'report["pairing"] == "process"'
sed -i 's/factor = 3/factor = 4/' helper.py
git commit -qam "another factor: the inputs and right answers of the current commit hold"
expect "1 4" "$HARNESS" ab suite.yaml --baseline HEAD~1 --pair process --device cpu --report json=apart.json
holds apart.json 'report["pairing"] == "process"' 'row("n=16")["reason_fact"]["code"] == "baseline_not_measured"'
names incorrect  # the baseline alone, by its own factor

# In an environment that has a name, the tracked files of Python are part of the build. Other modules make it unknown.
export HARNESS_ENVIRONMENT=image-1
rm -rf .harness
expect 0 "$HARNESS" run suite.yaml --device cpu
expect 0 "$HARNESS" run suite.yaml --device cpu --against HEAD --report json=known.json
holds known.json 'len(report["cases"]) == 2' 'all(row["by_build"] for row in report["cases"])'
echo "# another build" >>helper.py
expect "0 1" "$HARNESS" run suite.yaml --device cpu --against HEAD --allow inconclusive --looks 1 --no-confirm
silent_about "of this build"
git checkout -q -- helper.py
sed 's/cases.py/untracked.py/' suite.yaml >untracked.yaml
cp cases.py untracked.py
expect 0 "$HARNESS" run untracked.yaml --device cpu --output untracked.json
holds untracked.json '"build" not in report'
unset HARNESS_ENVIRONMENT

# Mistakes of the file itself name its line.
echo 'broken(' >>cases.py
expect 2 "$HARNESS" list suite.yaml
names suite.yaml:3 "cases.py:" SyntaxError
printf 'import harness\n' >cases.py
expect 2 "$HARNESS" list suite.yaml
names cases.py @harness.case
HARNESS_PYTHON=$work/no-such-python expect 2 "$HARNESS" list suite.yaml --device cpu
names HARNESS_PYTHON
finish
