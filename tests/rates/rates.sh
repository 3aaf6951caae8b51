#!/usr/bin/env bash
# How often the rule of harness/verdict is wrong, and how often it finds what is there, on samples that
# a probe took on H200s. Prints one Markdown table; the same seed prints the same table.
#
#   tests/rates/rates.sh FOLDER [SPLITS [OPTION...]]       # --only suites: one of the tables
#
# FOLDER holds session-{1,2,3}.jsonl.gz as tests/data/h200 does; HARNESS_BUILD names a build folder other than
# build/release. Simulated suites have the spreads of the pins.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: rates.sh FOLDER [SPLITS [OPTION...]]}
options=(--splits "${2:-200000}" "${@:3}" --pins "$here"/../../baselines/nvidia-h200/*.json)
build=${HARNESS_BUILD:-$here/../../build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# import NAME < SAMPLES: the record $work/NAME.json.
import() {
  cat >"$work/$1.jsonl"
  (cd "$work" && "$build/bin/harness" import "$1.jsonl" --suite probe --as "$1.json" >/dev/null)
}

devices=(GPU-A GPU-A GPU-B)
for session in 1 2 3; do
  zcat "$folder/session-$session.jsonl.gz" |
    python3 "$here/to_samples.py" "${devices[session - 1]}" "session $session" | import "session-$session"
done
"$build/bin/decision_rates" "$work/session-1.json" --another-day "$work/session-2.json" \
  --another-gpu "$work/session-3.json" "${options[@]}"
