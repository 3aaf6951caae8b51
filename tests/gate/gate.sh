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
#     one-PERCENT   one case of the suite, slower by PERCENT (FOLDER/slower-PERCENT) than FOLDER/slower-0, which is
#              HARNESS_SLOWER=0.001: the waiting blocks alone make a kernel 1.3 % faster or 0.1 % slower. 1 by
#              `run --against` 20 processes, 0.5 by `ab --margin 0.25%`, 0.3 by `ab --margin 0.1%`
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
  [ -d "$scratch/$1" ] && return
  mkdir -p "$scratch/$1"
  cp -r "$folder/bin" "$folder/lib" "$scratch/$1/"
  cp "$folder/$1"/lib/*.so "$scratch/$1/lib/"
}

# against <part> <suite> <program> <record> [flags]
against() {
  local part=$1 suite=$2 program=$3 record=$4 run
  shift 4
  for ((run = 1; run <= runs; run++)); do
    tell "$part" "$suite" "$run" "$program" run "suites/$suite.yaml" --store "$scratch/$suite.db" --require-gpu \
      "${commit[@]}" --against "$record" "$@" || break
  done
}

# ab <part> <suite> <folder of the baseline's build> <folder of the current build> [flags]
ab() {
  local part=$1 suite=$2 before=$3 current=$4 run
  shift 4
  mkdir -p "$scratch/ab/baseline/lib" "$scratch/ab/$part/lib"
  cp "$before"/lib/libharness_{kernels,cuda}.so "$scratch/ab/baseline/lib/"
  cp "$current"/lib/libharness_{kernels,cuda}.so "$scratch/ab/$part/lib/"
  for ((run = 1; run <= runs; run++)); do
    tell "$part" "$suite" "$run" "$folder/bin/harness" ab "suites/$suite.yaml" --store "$scratch/ab.db" --seed "$run" \
      --baseline-build "$scratch/ab/baseline" --current-build "$scratch/ab/$part" "$@" || break
  done
}

declare -A case_of=(
  [probe]='probe_gelu/vector8/dtype=f16/n=8388608/factor=1'
  [fusion]='linear_gelu/wmma_fused/dtype=f16/m=8192/n=4096/k=4096/gelu=tanh'
  [matmul]='matmul/wmma/dtype=bf16/m=4096/n=4096/k=4096'
  [attention]='attention/mma_sync/dtype=f16/b=8/h=32/s=2048/d=64/causal=false'
)
# one <part> <suite>: one case that is slower by the percent in the part's name.
one() {
  local part=$1 suite=$2 percent=${1#one-}
  local only=(--filter "${case_of[$suite]}")
  case $percent in
    1)
      slower slower-0
      slower "slower-$percent"
      tell record "$suite" 20 "$scratch/slower-0/bin/harness" run "suites/$suite.yaml" "${only[@]}" --processes 20 \
        --store "$scratch/one.db" "${commit[@]}" --require-gpu --output "$scratch/one-$suite.json" || return
      against "$part" "$suite" "$scratch/slower-$percent/bin/harness" "$scratch/one-$suite.json" "${only[@]}"
      ;;
    0.5) ab "$part" "$suite" "$folder/slower-0" "$folder/slower-$percent" "${only[@]}" --margin 0.25% ;;
    0.3) ab "$part" "$suite" "$folder/slower-0" "$folder/slower-$percent" "${only[@]}" --margin 0.1% ;;
    *) echo "gate: no part $part" >&2 && exit 2 ;;
  esac
}

parts=${HARNESS_GATE:-proof all ab slower}
# record <suite>: the whole suite, once.
record() {
  [ ! -f "$out/$1.record.json" ] || return 0
  tell record "$1" 1 "$folder/bin/harness" run "suites/$1.yaml" --store "$scratch/$1.db" \
    "${commit[@]}" --require-gpu --output "$scratch/$1.json" && cp "$scratch/$1.json" "$out/$1.record.json"
}

for suite in ${HARNESS_GATE_SUITES:-fusion matmul attention probe}; do
  for entry in $parts; do
    part=${entry%%:*}
    runs=${HARNESS_GATE_RUNS:-1}
    [ "$part" = "$entry" ] || runs=${entry#*:}
    case $part in
      proof) record "$suite" && against proof "$suite" "$folder/bin/harness" "$scratch/$suite.json" ;;
      all) record "$suite" && against all "$suite" "$folder/bin/harness" "$scratch/$suite.json" --measure all ;;
      ab) ab ab "$suite" "$folder" "$folder" ;;
      slower)
        [ -d "$folder/slower" ] || continue
        slower slower
        record "$suite" && against slower "$suite" "$scratch/slower/bin/harness" "$scratch/$suite.json"
        ;;
      one-*) one "$part" "$suite" ;;
      *)
        echo "gate: no part $part" >&2
        exit 2
        ;;
    esac
  done
done
