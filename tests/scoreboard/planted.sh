#!/usr/bin/env bash
# planted.sh CHANGE_SCORES: change points of 200 series of results with planted changes. Fails where those of `history`
# beyond the margin are right in less than 97 %, or less than 90 % of the changes are found.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/series.py" h200 >"$work/own.jsonl"
"$1" "$work/own.jsonl" --margin 0.005 --precision 0.97 --recall 0.9
