#!/usr/bin/env bash
# How `harness referee` rules on builds of one kernel on a GPU: one that is the same, two that are slower, and one for
# each way to cheat, crash or hang (plugin.cu).
#
#   tests/referee/gpu/referee.sh FOLDER OUT    FOLDER has bin/ and lib/ of a build; the reports go to OUT
#
# Needs nvcc. Prints a table; exit status 1 where a ruling is another one. Takes a minute.
set -euo pipefail
here=$(realpath "$(dirname "$0")") folder=$(realpath "${1:?FOLDER}")
mkdir -p "${2:?OUT}"
out=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
nvcc -O2 -std=c++20 -arch=native "-I$here/../../.." -shared -Xcompiler -fPIC,-fvisibility=hidden "$here/plugin.cu" \
  -o honest.so
cat >gpu.yaml <<'YAML'
version: 2
name: gpu
modules: [./honest.so]
defaults:
  sampling: {timeout: 5s}
cases:
  - workload: gpu_line
    variants: [slowly]
    axes: {n: [33792], loops: [3600, 8000, 43300, 131000]}
YAML
failed=0
echo "| build | loops | exit | ruling of each case | change | s |"
echo "|---|---|--:|---|---|--:|"
# judge NAME STATUS LOOPS...: the build NAME, judged on these cases.
judge() {
  local name=$1 wanted=$2 status=0 loops filters=() begin=$EPOCHREALTIME
  shift 2
  for loops in "$@"; do filters+=(--filter "*loops=$loops"); done
  [ -f "$name.so" ] || cp honest.so "$name.so"
  timeout 60 "$folder/bin/harness" referee gpu.yaml --baseline-build honest.so --current-build "$name.so" --color never \
    "${filters[@]}" --report "json=$out/$name.json" >"$out/$name.txt" 2>&1 || status=$?
  python3 - "$name" "$*" "$status" "$out/$name.json" "$begin" "$EPOCHREALTIME" <<'PY'
import json, sys
name, loops, status, file, begin, end = sys.argv[1:]
try:
    cases = json.load(open(file))["cases"]
except (OSError, ValueError, KeyError):
    cases = []
changes = ", ".join(f"{100 * (one['ratio'] - 1):+.2f} %" for one in cases if one.get("ratio"))
print(f"| {name} | {loops} | {status} | {', '.join(one['ruling'] for one in cases)} | {changes} | {float(end) - float(begin):.1f} |")
PY
  if [ "$status" -ne "$wanted" ]; then
    echo "FAIL: $name ends with $status, not $wanted"
    failed=1
  fi
}
judge same 0 8000 43300 131000
judge slower_2 1 8000 43300
judge slower_5 1 43300
for way in nothing each_second another_stream later by_address; do judge $way 5 43300; done
# A call that crashes or hangs ends its case alone.
judge crashes 5 8000 3600
judge hangs 5 8000 3600
exit $failed
