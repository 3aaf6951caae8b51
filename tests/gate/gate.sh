#!/usr/bin/env bash
# Runs whole suites as a user does, of an unchanged build and of a slower one, and keeps what the gate says.
#
#   tests/gate/gate.sh FOLDER OUT      FOLDER has bin/ and lib/; records, reports and figures.jsonl go to OUT
#
#   HARNESS_GATE="proof:5 all ab slower"   which parts, in this order, and how often (default: HARNESS_GATE_RUNS):
#     proof    `run --against` of the same build: exit status 0 by proof, in seconds
#     all      the same with `--measure all`: every case measured, none undecided or red
#     ab       `harness ab` of the build with itself
#     slower   `run --against` of FOLDER/slower (HARNESS_SLOWER): its slower cases are found, only they are measured
#   HARNESS_GATE_SUITES="fusion matmul attention probe"
#   HARNESS_GATE_RUNS=1          runs of each part and suite that names no number
#   HARNESS_GATE_SECONDS=500     no run begins after it
#   HARNESS_COMMIT=<40 digits>   the commit of the build, where its repository was left behind
#
# Exit status: 0 it ran; what came out of it is figures.py's to judge.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 2
cd "$root" || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
figures=$out/figures.jsonl
: >"$figures"
commit=()
[ -z "${HARNESS_COMMIT:-}" ] || commit=(--commit "$HARNESS_COMMIT")

in_time() { [ "$SECONDS" -lt "${HARNESS_GATE_SECONDS:-500}" ]; }

# tell <part> <suite> <run> <command...>: runs it and keeps its exit status, its time and its report.
tell() {
  local part=$1 suite=$2 run=$3 began ended status report=$out/$1-$2-$3.json
  shift 3
  in_time || return 1
  began=$(date +%s.%N)
  "$@" --device cuda --quiet --color never --report "json=$report" >"$out/$part-$suite-$run.txt" 2>&1
  status=$?
  ended=$(date +%s.%N)
  printf '{"part": "%s", "suite": "%s", "run": %s, "status": %s, "seconds": %.2f, "report": "%s"}\n' \
    "$part" "$suite" "$run" "$status" "$(awk -v b="$began" -v e="$ended" 'BEGIN {print e - b}')" \
    "$(basename "$report")" >>"$figures"
  return 0
}

# The slower build as a user has it: the same program with other modules.
slower() {
  mkdir -p "$scratch/slower"
  cp -r "$folder/bin" "$folder/lib" "$scratch/slower/"
  cp "$folder"/slower/lib/*.so "$scratch/slower/lib/"
}

against() {
  local part=$1 suite=$2 program=$3 run
  shift 3
  for ((run = 1; run <= runs; run++)); do
    tell "$part" "$suite" "$run" "$program" run "suites/$suite.yaml" --store "$scratch/$suite.db" --require-gpu \
      "${commit[@]}" --against "$scratch/$suite.json" "$@" || break
  done
}

ab() {
  local suite=$1 run side
  for side in baseline current; do
    mkdir -p "$scratch/ab/$side/lib"
    cp -n "$folder/lib/libharness_kernels.so" "$folder/lib/libharness_cuda.so" "$scratch/ab/$side/lib/"
  done
  for ((run = 1; run <= runs; run++)); do
    tell ab "$suite" "$run" "$folder/bin/harness" ab "suites/$suite.yaml" --store "$scratch/ab.db" \
      --baseline-build "$scratch/ab/baseline" --current-build "$scratch/ab/current" || break
  done
}

parts=${HARNESS_GATE:-proof all ab slower}
for suite in ${HARNESS_GATE_SUITES:-fusion matmul attention probe}; do
  tell record "$suite" 1 "$folder/bin/harness" run "suites/$suite.yaml" --store "$scratch/$suite.db" \
    "${commit[@]}" --require-gpu --output "$scratch/$suite.json" || break
  cp "$scratch/$suite.json" "$out/$suite.record.json" || break
  for one in $parts; do
    part=${one%%:*}
    runs=${HARNESS_GATE_RUNS:-1}
    [ "$part" = "$one" ] || runs=${one#*:}
    case $part in
      proof) against proof "$suite" "$folder/bin/harness" ;;
      all) against all "$suite" "$folder/bin/harness" --measure all ;;
      ab) ab "$suite" ;;
      slower)
        [ -d "$folder/slower" ] || continue
        [ -d "$scratch/slower" ] || slower
        against slower "$suite" "$scratch/slower/bin/harness"
        ;;
      *)
        echo "gate: no part $part" >&2
        exit 2
        ;;
    esac
  done
done
