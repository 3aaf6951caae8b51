#!/usr/bin/env bash
# `harness history` on a real repository: results of the scripted device along a branch.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite copy
commit "the suite"

# results DEVICE MICROSECONDS... : a commit for each, with a record of that many microseconds.
step=0
results() {
  local device=$1 us
  shift
  for us in "$@"; do
    step=$((step + 1))
    # Samples of three processes that differ by a little, as an import: fast, and the same everywhere.
    awk -v us="$us" -v device="$device" -v step="$step" 'BEGIN {
      printf "{\"suite\": \"demo\", \"machine\": {\"class\": \"nvidia-h200\", \"uuid\": \"%s\"}}\n", device
      for (p = 0; p < 4; p++) printf "{\"case\": \"gelu/n=1\", \"metric\": \"gpu_time\", \"unit\": \"us\", \"process\": %d, \"samples\": [%.6f, %.6f]}\n", p, us * (1 + 0.0005 * ((p + step) % 4 - 1.5)), us * (1 + 0.0005 * ((p + step) % 4 - 1.5))
      for (p = 0; p < 4; p++) printf "{\"case\": \"copy/n=1\", \"metric\": \"gpu_time\", \"unit\": \"us\", \"process\": %d, \"samples\": [%.6f]}\n", p, 50 * (1 + 0.0004 * ((p * 3 + step * 7) % 5 - 2))
    }' >samples.jsonl
    echo "$step" >step
    git add step
    git commit -qm "step $step"
    [ "$us" = - ] || "$HARNESS" import samples.jsonl --suite demo >/dev/null || problem "import failed"
  done
}

# Nothing measured, no such thing asked for.
expect 4 "$HARNESS" history

# Twelve commits of +1 % each: no step passes 2 %, and history sees it all the same.
results GPU-A 100.0 101.0 102.0 103.0 104.1 105.1 106.2 107.2 108.3 109.4 110.5 111.6
expect 0 "$HARNESS" history --margin 2% --color never --report json=creep.json
holds creep.json '[one["case"] for one in report["series"] if one["worse"]] == ["gelu/n=1"]' \
  'report["measured"] == 12' 'report["commits"] == 13' 'report["series"][0]["creep"]' \
  'abs(report["series"][0]["newest"]["ratio"] - 1.116) < 1e-3'
expect 1 "$HARNESS" history --margin 2% --fail-on change
expect 1 "$HARNESS" history 'gelu/*' --margin 2% --fail-on change
expect 0 "$HARNESS" history 'copy/*' --margin 2% --fail-on change
silent_about gelu

# A comparison takes each case's noise from its earlier runs. The creep is no noise.
"$HARNESS" compare --current HEAD --baseline HEAD~1 --report json=learned.json >/dev/null
holds learned.json \
  '[(one["case"], one["from"], one["sessions"]) for one in report["policy"]["learned"]] == [("copy/n=1", "history", 11), ("gelu/n=1", "history", 11)]' \
  'all(0 < one["session_sd"] < 0.002 for one in report["policy"]["learned"])' \
  'all(one["process_degrees_of_freedom"] == 33 for one in report["policy"]["learned"])'

# A sparkline in the terminal's own characters.
expect 0 env LC_ALL=C.UTF-8 "$HARNESS" history 'gelu/*'
names "▁" "█"
expect 0 env LC_ALL=C "$HARNESS" history 'gelu/*'
names _ "#"
silent_about "█"

# Held to a named release; only what came since.
expect 0 "$HARNESS" history --anchor HEAD~2 --margin 2.5% --fail-on change
expect 1 "$HARNESS" history --anchor HEAD~4 --margin 2% --fail-on change
expect 0 "$HARNESS" history --last 3 --format json
holds "$printed" 'len(report["series"][0]["points"]) == 3'
expect 0 "$HARNESS" history --since HEAD~1 --format json
holds "$printed" 'report["commits"] == 2' 'report["version"] == 1' 'report["format"] == "harness-history"'
expect 0 "$HARNESS" history --since 2999-01-01

# A jump that happened among commits nobody measured is given as a range.
git checkout -qb other HEAD~12
results GPU-A 100 100 100 100 100 100 100 - - 103 103 103 103 103 103
expect 0 "$HARNESS" history --branch other --report json=jump.json
names bisect --good --case gelu/n=1
holds jump.json 'len(report["series"][0]["changes"]) == 1' 'report["series"][0]["worse"]'

# Another device stands apart; what must not count is passed over.
results GPU-B 90 90
expect 0 "$HARNESS" history --branch other --color never 'gelu/*'
names GPU-A GPU-B
echo changed >>step
"$HARNESS" import samples.jsonl --suite demo >/dev/null
git checkout -q step
expect 0 "$HARNESS" history --branch other

# The pinned baseline is the anchor.
expect 0 "$HARNESS" baseline promote HEAD~3 --author tester --reason release
commit "pin"
expect 0 "$HARNESS" history --branch other --color never 'gelu/*'
names baselines/nvidia-h200/demo.json

# Slips.
expect 2 "$HARNESS" history 'gelo/*'
names 'gelo/*'
expect 2 "$HARNESS" history --metric gpu_tim
names gpu_time
expect 2 "$HARNESS" history --branch mian
names mian main
expect 2 "$HARNESS" history --anchor other
expect 2 "$HARNESS" history --format pdf
names pdf json
expect 4 "$HARNESS" history --suite dem
names demo
expect 0 "$HARNESS" history --report "json=history.json,markdown=history.md"
holds history.json 'report["series"]'
grep -q '^| ' history.md || problem "no table in Markdown"
expect 0 "$HARNESS" history --help
names --fail-on

# Learned differences between sessions widen the comparison with the anchor.
for session in 1 2; do
  { echo '{"machine": {"class": "nvidia-h200", "uuid": "GPU-A"}}'
    for process in 0 1 2 3; do
      echo "{\"case\": \"gelu/n=1\", \"metric\": \"gpu_time\", \"unit\": \"us\", \"process\": $process, \"samples\": [10$session.0$process]}"
    done
  } >"session-$session.jsonl"
done
expect 0 "$HARNESS" history 'gelu/*' --format json
holds "$printed" 'all(one["session_sd"] <= 0.0011 for one in report["series"])'
expect 0 "$HARNESS" calibrate --from session-1.jsonl session-2.jsonl --suite demo
expect 0 "$HARNESS" history 'gelu/*' --format json
holds "$printed" 'any(one["session_sd"] > 0.003 for one in report["series"])'

# The page of all suites leaves out those that have nothing of what was asked for, unless all have nothing.
sed 's/gelu/copy/' session-1.jsonl >copies.jsonl
expect 0 "$HARNESS" import copies.jsonl --suite copies
if [[ $("$HARNESS" report none.json --report html=page 2>&1) != *"no HTML page"* ]]; then
  expect 0 "$HARNESS" history 'gelu/*' --html page.html
  names copies 'gelu/*' page.html
  # A suite that was not looked at does not pass.
  expect 2 "$HARNESS" history 'gelu/*' --html none.html --fail-on change
  expect 2 "$HARNESS" history 'gelo/*' --html none.html
  silent_about "wrote none.html"
  absent none.html
fi
finish
