#!/usr/bin/env bash
# How much faster a campaign is with an element for each GPU of one host than with one element: both builds of a case, by
# the same program twice. The one element uses the other GPUs for cases of several GPUs alone.
#
#   tests/farm/speedup.sh FOLDER OUT      FOLDER has bin/ and lib/; the store and logs go to OUT
#
#   HARNESS_FARM="4 4 1"           campaigns with so many elements, one after the other; default: one with an element for
#                                  each GPU, then one with one. The first also fills caches: of files, of cuDNN, of NVRTC.
#                                  Later ones know how long each case takes
#   HARNESS_FARM_SUITES="probe fusion matmul"   default: all but `self`, those of long cases first
#   HARNESS_FARM_PROCESSES=1       of each case and build
#   HARNESS_FARM_BLOCK=24          most cases of a task
#
# Prints a line for each campaign, then where their time went (phases.py). Exit status: 0 all elements ended with 0, and no
# case failed or regressed.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 2
cd "$root" || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
for build in one other; do
  mkdir "$scratch/$build"
  for part in bin lib share; do
    if [ -d "$folder/$part" ]; then cp -r "$folder/$part" "$scratch/$build/"; fi
  done
done
gpus=$(nvidia-smi --list-gpus | wc -l)
suites=()
all="training backends memory sparsity blocks attention matmul fusion quantization operators masks scaling tune_gemm"
all+=" probe smoke"
for suite in ${HARNESS_FARM_SUITES:-$all}; do
  suites+=("suites/$suite.yaml")
done
harness=$scratch/one/bin/harness
store=$out/farm.db
rm -f "$store"*
failures=0 number=0
for count in ${HARNESS_FARM:-$gpus 1}; do
  number=$((number + 1))
  name=$number-of-$count
  "$harness" farm plan "${suites[@]}" --device cuda --measure all --looks 1 --no-confirm --store "$store" \
    --processes "${HARNESS_FARM_PROCESSES:-1}" --block "${HARNESS_FARM_BLOCK:-24}" --elements "$count" \
    --baseline-build "$scratch/one" --current-build "$scratch/other" >"$out/$name.plan" 2>&1 || {
    cat "$out/$name.plan" >&2
    exit 2
  }
  began=$(date +%s.%N)
  elements=()
  for ((i = 0; i < count; i++)); do
    # The first GPU measures. The others are for cases of several.
    devices=$(for ((j = 0; j < gpus; j++)); do printf ',cuda:%d' $(((i + j) % gpus)); done)
    "$harness" farm work --device "${devices#,}" --quiet --store "$store" --journal "$scratch/journal$i" \
      >"$out/$name.$i.log" 2>&1 &
    elements+=($!)
  done
  statuses=
  for element in "${elements[@]}"; do
    wait "$element"
    status=$?
    statuses+=" $status"
    [ $status -eq 0 ] || failures=$((failures + 1))
  done
  awk -v began="$began" -v ended="$(date +%s.%N)" -v count="$count" -v statuses="$statuses" \
    'BEGIN {printf "%d elements: %.1f s, exit statuses%s\n", count, ended - began, statuses}'
  # One process a case decides nothing, so 3 is right. The next campaign learns from records that are judged.
  "$harness" farm judge --store "$store" >"$out/$name.md" --format markdown 2>"$out/$name.judged"
  status=$?
  if [ $status -ne 0 ] && [ $status -ne 3 ]; then
    echo "farm judge ended with $status" >&2
    tail -n 20 "$out/$name.judged" >&2
    failures=$((failures + 1))
  fi
done
python3 tests/farm/phases.py "$store" || failures=1
[ "$failures" -eq 0 ]
