#!/usr/bin/env bash
# Real samples from an H200: a slowdown of 1.3 % is found and named, and nothing else is called changed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for name in main same head; do
  expect 0 "$HARNESS" import "$data/h200/$name.jsonl" --suite probe --as $name.json
done
# A 90 % interval misses the truth once in ten cases. Three of eight would be too many: their chance is 4 %.
expect 1 "$HARNESS" compare --baseline main.json --current head.json --margin 0.5% --report json=verdict.json
holds verdict.json 'len(report["cases"]) == 8' \
  'sorted(case["case"] for case in report["cases"] if case["verdict"] == "regressed") == ["gelu/mode=cold", "gelu/mode=hot"]' \
  'not any(case["verdict"] == "improved" for case in report["cases"])' \
  'abs(row("gelu/mode=hot")["ratio"] - 1.013) < 0.003' 'abs(row("gelu/mode=cold")["ratio"] - 1.012) < 0.003' \
  'sum(case["interval"][0] < {"gelu/mode=hot": 1.013, "gelu/mode=cold": 1.012}.get(case["case"], 1) < case["interval"][1] for case in report["cases"]) >= 6'
expect 0 "$HARNESS" compare --baseline main.json --current same.json --report json=unchanged.json
holds unchanged.json 'all(case["verdict"] in ("unchanged", "not_worse") for case in report["cases"])' \
  'sum(case["interval"][0] < 1 < case["interval"][1] for case in report["cases"]) >= 6'
finish
