#!/usr/bin/env bash
# Deciders side by side on the same samples of H200s: a table of false calls, and one of changes found.
#
#   tests/scoreboard/scoreboard.sh [OPTION...]     # --splits 1000, --bounds, --only harness
#
# HARNESS_BUILD names a build folder other than build/release.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${HARNESS_BUILD:-$here/../../build/release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
devices=(GPU-A GPU-A GPU-B)
for session in 1 2 3; do
  zcat "$here/../data/h200/session-$session.jsonl.gz" |
    python3 "$here/../rates/to_samples.py" "${devices[session - 1]}" "session $session" >"$work/$session.jsonl"
  (cd "$work" && "$build/bin/harness" import "$session.jsonl" --suite probe --as "$session.json" >/dev/null)
done
"$build/bin/scoreboard" "$work/1.json" --another-day "$work/2.json" --another-gpu "$work/3.json" "$@"
