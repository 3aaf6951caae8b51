#!/usr/bin/env bash
# How often the rule of harness/compare is wrong, and how often it finds what is there, on samples that
# a probe took on H200s. Prints one Markdown table; the same seed prints the same table.
#
#   tests/rates/rates.sh FOLDER [SPLITS]
#
# FOLDER holds session-{1,2,3}.jsonl.gz (README.md here); HARNESS_BUILD names a build folder other than
# build/release.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: rates.sh FOLDER [SPLITS]}
splits=${2:-4000}
build=${HARNESS_BUILD:-$here/../../build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

devices=(GPU-A GPU-A GPU-B)
for session in 1 2 3; do
  zcat "$folder/session-$session.jsonl.gz" |
    python3 "$here/to_samples.py" "${devices[session - 1]}" >"$work/session-$session.jsonl"
  (cd "$work" && "$build/bin/harness" import "session-$session.jsonl" --suite probe \
    --as "session-$session.json" >/dev/null)
done
"$build/bin/decision_rates" "$work"/session-{1,2,3}.json --splits "$splits"
