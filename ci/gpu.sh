#!/usr/bin/env bash
# Everything that needs a GPU, on a machine where nothing is built: the GPU tests, the sanitizers over
# the kernels' correctness tests, the suites. Below nine minutes; each step has a limit of its own, a
# failure does not stop the next step, and the table at the end says what happened.
#
#   ci/gpu.sh [FOLDER]           FOLDER has bin/ and lib/: a build folder or a bundle (build/portable)
#
#   OUT=gpu-results              where records, reports and the log go
#   HARNESS_COMMIT=<40 digits>   the commit this tree is, where its repository was left behind
#   HARNESS_GPU_SUITES="smoke fusion"   the suites to run
#
# Exit status: 0 all well, 1 a step failed, 2 it could not start.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd "${1:-$root/build/portable}" 2>/dev/null && pwd) || {
  echo "gpu: no folder ${1:-build/portable}; build one with: cmake --preset portable && cmake --build --preset portable" >&2
  exit 2
}
for program in harness test_gpu; do
  if [ ! -x "$folder/bin/$program" ]; then
    echo "gpu: $folder/bin/$program is missing" >&2
    exit 2
  fi
done
mkdir -p "${OUT:-gpu-results}" || exit 2
out=$(cd "${OUT:-gpu-results}" && pwd)
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
log=$out/gpu.log
: >"$log"
cd "$root" || exit 2
export HARNESS_SOURCE_DIR=$root HARNESS_REQUIRE_GPU=1

whole_limit=525  # seconds; what a step may still take shrinks towards it
table=()
failures=0

# step <name> <limit in seconds> <command...>: runs it into the log; shows the end of it on failure.
step() {
  local name=$1 limit=$2 left=$((whole_limit - SECONDS)) began=$SECONDS text=$scratch/step status result
  shift 2
  if [ "$left" -lt 5 ]; then
    table+=("$(printf '%-14s %-22s %5s' "$name" "no time left" "-")")
    failures=$((failures + 1))
    return 1
  fi
  if [ "$limit" -gt "$left" ]; then
    limit=$left
  fi
  timeout --kill-after=5 "$limit" "$@" >"$text" 2>&1
  status=$?
  case $status in
    0) result=ok ;;
    124 | 137) result="over its ${limit} s" ;;
    *) result="failed (status $status)" ;;
  esac
  { printf '\n=== %s: %s\n$ %s\n' "$name" "$result" "$*" && cat "$text"; } >>"$log"
  table+=("$(printf '%-14s %-22s %5s' "$name" "$result" "$((SECONDS - began)) s")")
  if [ "$status" -ne 0 ]; then
    failures=$((failures + 1))
    printf '\n--- %s: %s\n' "$name" "$result"
    tail -n 60 "$text"
    return 1
  fi
}

skip() { table+=("$(printf '%-14s %-22s %5s' "$1" "skipped: $2" "-")"); }

# sanitize <tool>: no finding of compute-sanitizer while the kernels run on regular and odd shapes.
sanitize() {
  if ! command -v compute-sanitizer >/dev/null; then
    skip "$1" "not installed"
    return
  fi
  step "$1" 80 compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 \
    "$folder/bin/test_gpu" --gtest_brief=1 --gtest_filter='LinearGelu.IsRightInHalfPrecision:LinearGelu.IsRightInBfloat16'
}

# run_suite <name> <limit>: record and reports go to $out; what a person would see, to the terminal.
run_suite() {
  local commit=()
  if [ -n "${HARNESS_COMMIT:-}" ]; then
    commit=(--commit "$HARNESS_COMMIT")
  fi
  step "run $1" "$2" "$folder/bin/harness" run "suites/$1.yaml" --require-gpu --quiet "${commit[@]}" \
    --store "$scratch/$1.db" --output "$out/$1.record.json" \
    --report "json=$out/$1.report.json,markdown=$out/$1.md" && cat "$scratch/step"
}

if command -v nvidia-smi >/dev/null; then
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,power.limit,temperature.gpu,ecc.mode.current \
    --format=csv 2>&1 | tee -a "$log"
fi
export PATH="$PATH:/usr/local/cuda/bin"
step tests 150 "$folder/bin/test_gpu" --gtest_brief=1 --gtest_output="xml:$out/test_gpu.xml"
for suite in ${HARNESS_GPU_SUITES:-smoke fusion}; do
  run_suite "$suite" 180
done
sanitize memcheck
sanitize racecheck

printf '\n%-14s %-22s %5s\n' step result time
printf '%s\n' "${table[@]}"
printf 'results in %s\n' "$out"
[ "$failures" -eq 0 ]
