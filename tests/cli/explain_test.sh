#!/usr/bin/env bash
# harness explain: the numbers are those of the comparison, whatever names it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right
speeds 100 && commit "fast"
expect 0 run
git checkout -qb change
speeds 104 && commit "slower"
expect 1 run --against main
expect 1 "$HARNESS" compare --baseline main --current HEAD --margin 0.5% --report json=verdict.json

expect 0 "$HARNESS" explain twice/right/n=64 --baseline main --current HEAD --margin 0.5% --color never
names regressed twice/right/n=64
cp "$printed" explained.txt
cat >check.py <<'PY'
import json, sys
said = " ".join(open("explained.txt").read().split())
row = [one for one in json.load(open("verdict.json"))["cases"]
       if one["case"] == "twice/right/n=64" and one["metric"] == "wall_time"][0]
numbers = [f"ratio {row['ratio']:.6g}", f"p = {row['p']:.4g}", f"adjusted p {row['p_adjusted']:.4g}",
           f"p = {row['p_improved']:.4g}", f"{row['degrees_of_freedom']:.4g}",
           f"({(row['interval'][0] - 1) * 100:+.3f} %)", f"({(row['interval'][1] - 1) * 100:+.3f} %)",
           f"{row['baseline']['process_sd'] * 100:.4f} %", row["reason"]]
numbers += [f"{value:.6g}" for side in ("baseline", "current") for value in row[side]["process_values"]]
missing = [number for number in numbers if number not in said]
sys.exit(f"not said: {missing}" if missing else 0)
PY
python3 check.py || problem "the explanation has other numbers than the comparison"

# The same from the comparison's own file, which knows its policy.
expect 0 "$HARNESS" explain twice/right/n=64 --comparison verdict.json --color never
cp "$printed" explained.txt
python3 check.py || problem "the stored comparison is explained with other numbers"
names 0.5
expect 2 "$HARNESS" explain x --comparison verdict.json --baseline main
expect 4 "$HARNESS" explain 'twice/*' --comparison verdict.json --store empty.db
expect 2 "$HARNESS" explain 'twice/*' --comparison suite.yaml

# Wildcards, one metric, Markdown, and slips.
expect 0 "$HARNESS" explain 'twice/*' --metric time --format markdown
names "###" twice/right twice/also_right
expect 2 "$HARNESS" explain twice/rihgt/n=64
names twice/right/n=64
expect 2 "$HARNESS" explain right
names '*right*'
expect 2 "$HARNESS" explain twice/right/n=64 --metric wal_time
names wall_time
expect 2 "$HARNESS" explain
finish
