#!/usr/bin/env bash
# Every command that compares judges by one policy, with what calibrations taught and with the waivers.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
echo speed.json >>.gitignore  # sessions of one build, whatever their speed
suite right
speeds 100 && commit "fast"
for speed in 98 100 102; do  # sessions that differ by 2 %: far more than is usual
  speeds $speed
  expect 0 "$HARNESS" calibrate suite.yaml --device scripted:speed.json --runs 1 --processes 5
done
speeds 100
expect 0 run --output fast.json
echo change >change && commit "slower"
speeds 104
expect 0 run --output slow.json
"$HARNESS" compare --baseline fast.json --current slow.json --report json=verdict.json >"$printed" 2>&1
cat >row.py <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
report = report.get("comparison") or report
print(json.dumps([report["policy"], report["policy_facts"], report["verdict"], report["exit_code"]] + [
    [row[key] for key in ("case", "metric", "verdict", "interval", "p_adjusted")] for row in report["cases"]]))
PY
holds verdict.json 'report["verdict"] != "regressed"' \
  '[(one["case"], one["sessions"], one["session_sd"] > 0.005) for one in report["policy"]["learned"] if one["metric"] == "wall_time"] == [("twice/right/n=64", 3, True)]'

# report --baseline makes the same file.
expect 0 "$HARNESS" report slow.json --baseline fast.json --report json=again.json
cmp -s verdict.json again.json || problem "report --baseline says something else than compare"

# explain retells it, from the records and from the comparison's own file, even without the calibrations.
cat >check.py <<'PY'
import json
said = " ".join(open("explained.txt").read().split())
row = [one for one in json.load(open("verdict.json"))["cases"] if one["metric"] == "wall_time"][0]
wanted = [f"{row['verdict'].replace('_', ' ')}: twice/right/n=64", f"adjusted p {row['p_adjusted']:.4g}",
          f"({(row['interval'][0] - 1) * 100:+.3f} %)", f"({(row['interval'][1] - 1) * 100:+.3f} %)"]
missing = [text for text in wanted if text not in said]
assert not missing, missing
PY
explained() {  # WHAT ARGUMENT...
  local what=$1
  shift
  expect 0 "$HARNESS" explain twice/right/n=64 --metric wall_time --color never "$@"
  cp "$printed" explained.txt
  python3 check.py || problem "$what contradicts the comparison"
}
explained "explain" --baseline fast.json --current slow.json
explained "explain --comparison" --comparison verdict.json
mv .harness elsewhere
explained "explain --comparison without the store" --comparison verdict.json
mv elsewhere .harness

# A plot is drawn from the same numbers: what would draw it keeps the data.
mkdir tools
cat >tools/node <<'NODE'
#!/bin/sh
for last; do :; done
cp "$last" "$KEPT"
while [ "$1" != -o ]; do shift; done
echo "<svg/>" >"$2"
NODE
chmod +x tools/node
KEPT=$work/page.json PATH=$work/tools:$PATH "$HARNESS" plot slow.json --baseline fast.json --kind interval \
  --output plot.svg >"$printed" 2>&1
if grep -qF "this build has no plots" "$printed"; then
  echo "skipped: the plot's data, because this build has no plots"
else
  python3 row.py verdict.json >expected.txt
  python3 row.py page.json >plotted.txt
  python3 - <<'PY' || problem "plot --kind interval contradicts the comparison"
import json
def near(a, b):  # figures in a page have 7 digits
    if isinstance(a, float) and isinstance(b, (int, float)): return abs(a - b) <= 1e-6 * abs(a) + 1e-12
    if isinstance(a, list): return isinstance(b, list) and len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, dict): return isinstance(b, dict) and a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    return a == b
assert near(json.load(open("expected.txt")), json.load(open("plotted.txt")))
PY
fi

# Waivers beside the suite hold for report --baseline as they do for compare.
cat >waivers.yaml <<YAML
version: 1
waivers:
  - {pattern: "twice/*", ceiling: 9%, expires: $(date -u -d "+30 days" +%F), reason: known}
YAML
git add waivers.yaml && git commit -qm "a waiver"
"$HARNESS" compare --baseline fast.json --current slow.json --margin 0.1% --report json=verdict.json >/dev/null 2>&1
expect 0 "$HARNESS" report slow.json --baseline fast.json --margin 0.1% --report json=again.json
holds again.json 'any(one["pattern"] == "twice/*" for one in report["waivers"])'
cmp -s verdict.json again.json || problem "report --baseline says something else than compare"

# A policy that would be ignored is refused.
for option in "--margin 1%" "--alpha 0.05" "--allow missing" "--fail-on improved" --allow-other-device "--min-processes 3" \
  "--waivers nope.yaml" --no-waivers; do
  # shellcheck disable=SC2086  # an option and its value
  expect 2 "$HARNESS" explain 'twice/*' --comparison verdict.json $option
  names "${option%% *}" --comparison
  # shellcheck disable=SC2086
  expect 2 "$HARNESS" report slow.json $option
  names "${option%% *}" --baseline
  # shellcheck disable=SC2086
  expect 2 "$HARNESS" plot slow.json --kind ecdf $option
  names "${option%% *}" --baseline
done
expect 2 "$HARNESS" explain 'twice/*' --comparison verdict.json --suite demo
finish
