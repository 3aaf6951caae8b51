#!/usr/bin/env bash
# Real samples from an H200: a slowdown of 1.3 % is found and named, and nothing else is called changed.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

for name in main same head; do
  expect 0 "$HARNESS" import "$here/../data/h200/$name.jsonl" --suite probe --as $name.json
done
expect 1 "$HARNESS" compare --baseline main.json --current head.json --margin 0.5% --report json=verdict.json
says "REGRESSED: 2 of 8 cases"
python3 - <<'PY' || problem "not just the two slowed cases are called regressed"
import json
cases = json.load(open("verdict.json"))["cases"]
changed = {case["case"]: case for case in cases if case["verdict"] in ("regressed", "improved")}
assert sorted(changed) == ["gelu/mode=cold", "gelu/mode=hot"], sorted(changed)
assert all(case["verdict"] == "regressed" for case in changed.values())
assert all(case["interval"][0] < truth < case["interval"][1]
           for case, truth in ((changed["gelu/mode=hot"], 1.013), (changed["gelu/mode=cold"], 1.012)))
PY
expect 0 "$HARNESS" compare --baseline main.json --current same.json
says "UNCHANGED: all 8 cases"
finish
