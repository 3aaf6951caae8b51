#!/usr/bin/env bash
# Real samples from an H200: a slowdown of 1.3 % is found and named, and nothing else is called changed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for name in main same head; do
  expect 0 "$HARNESS" import "$data/h200/$name.jsonl" --suite probe --as $name.json
done
expect 1 "$HARNESS" compare --baseline main.json --current head.json --margin 0.5% --report json=verdict.json
holds verdict.json 'len(report["cases"]) == 8' \
  'sorted(case["case"] for case in report["cases"] if case["verdict"] == "regressed") == ["gelu/mode=cold", "gelu/mode=hot"]' \
  'not any(case["verdict"] == "improved" for case in report["cases"])' \
  'row("gelu/mode=hot")["interval"][0] < 1.013 < row("gelu/mode=hot")["interval"][1]' \
  'row("gelu/mode=cold")["interval"][0] < 1.012 < row("gelu/mode=cold")["interval"][1]'
expect 0 "$HARNESS" compare --baseline main.json --current same.json --report json=unchanged.json
holds unchanged.json 'all(case["verdict"] == "unchanged" for case in report["cases"])'
finish
