#!/usr/bin/env bash
# Deciders side by side on starts of public CUDA programs and of a step of PyTorch.
#
#   tests/scoreboard/programs.sh [OPTION...]     # --splits 20000, --least 30
#
# HARNESS_BUILD names a build folder other than build/release.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${HARNESS_BUILD:-$here/../../build/release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
zcat "$here/../data/h200/programs.jsonl.gz" >"$work/programs.jsonl"
(cd "$work" && "$build/bin/harness" import programs.jsonl --suite programs --as programs.json >/dev/null)
"$build/bin/program_scores" "$work/programs.json" "$@"
