#!/usr/bin/env bash
# `harness selftest` of fewer processes than a verdict needs. Two are wrong too often in cases with two modes, and only
# there.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

expect 1 "$HARNESS" selftest --processes 2 --splits 600 --seed 3 --report json=two.json
holds two.json 'not report["passed"]' '{one["plan"] for one in report["simulated"]} == {"P = 2", "P = 2 shared"}' \
  '"sessions differ" in {one["noise"] for one in report["simulated"]}' \
  '{one["noise"] for one in report["simulated"] if not one["passed"]} == {"bimodal"}' \
  'report["simulated"][0]["found"]["hits"] < 0.5 * report["simulated"][0]["found"]["trials"]'
finish
