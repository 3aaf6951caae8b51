#!/usr/bin/env bash
# Samples of another tool, imported and compared.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# samples FACTOR > FILE: five processes of two cases, deterministic, the second slowed by FACTOR.
samples() {
  python3 - "$1" <<'PY'
import json, random, sys
random.seed(7)
factor = float(sys.argv[1])
print(json.dumps({"machine": {"class": "nvidia-h200", "uuid": "GPU-1", "fields": {"driver": "580"}}}))
for process in range(1, 6):
    for case, us in (("gelu/mode=cold", 23.7), ("copy/mode=hot", 36.5 * factor)):
        center = us * random.gauss(1, 0.002)
        for placement in range(3):
            print(json.dumps({"case": case, "metric": "gpu_time", "unit": "us", "process": process,
                              "placement": placement, "first_call": 900.0,
                              "samples": [round(center * random.gauss(1, 0.01), 3) for _ in range(50)]}))
PY
}
samples 1 >base.jsonl
samples 1 >same.jsonl
samples 1.03 >slow.jsonl
for name in base same slow; do expect 0 "$HARNESS" import $name.jsonl --as $name.json; done
holds slow.json 'len(report["cases"]) == 2'
expect 2 "$HARNESS" import none.jsonl
expect 0 "$HARNESS" compare --baseline base.json --current same.json --margin 0.5% --alpha 0.01
expect 1 "$HARNESS" compare --baseline base.json --current slow.json --margin 0.5% --alpha 0.01 --report json=verdict.json
holds verdict.json 'report["verdict"] == "regressed"' 'row("copy/mode=hot")["verdict"] == "regressed"' \
  'row("gelu/mode=cold")["verdict"] == "unchanged"'
expect 0 "$HARNESS" report slow.json
names gelu/mode=cold copy/mode=hot

# Mistakes are told with their lines.
printf '{"case": "a", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0, "samples": [1, -2]}\nnot json\n' >bad.jsonl
expect 2 "$HARNESS" import bad.jsonl --as bad.json
names bad.jsonl:1 bad.jsonl:2
absent bad.json
expect 2 "$HARNESS" compare --baseline nothing.json --current same.json
finish
