#!/usr/bin/env bash
# Everything that needs a GPU, on a machine where nothing is built. Below nine minutes; each step has a limit of its
# own, a failure does not stop the next step, and the table at the end says what happened.
#
#   ci/gpu.sh [FOLDER]           FOLDER has bin/ and lib/: a build folder or what ci/bundle.sh made
#
#   HARNESS_GPU_STEPS="tests ab"     which steps, in this order:
#     tests        test_gpu, in several processes: one that hangs or breaks the device takes no other along
#     suites       `harness run` of HARNESS_GPU_SUITES (all of suites/) on the GPU, HARNESS_GPU_SUITE_SECONDS (180)
#                  each, with HARNESS_GPU_RUN_ARGUMENTS (--filter *m=2048* --processes 2, say)
#     cheats       tests/cheats: each kernel that cheats ends incorrect or failed. Then how many cases of the suites
#                  were called incorrect, none; without the step before, two processes of each suite
#     instrument   suites/probe.yaml in HARNESS_GPU_PROCESSES (12) processes, and tests/instrument/figures.py of it
#     offsets      bin/offsets: what event times of one process share, and what draws it anew; half a minute
#     trace        tests/gpu/trace_proof.py: a PyTorch step under the trace, its proof, 10^6 launches, CUDA events
#     doctor, selftest   `harness doctor`, `harness selftest --aa`, where the program has them
#     walk         tests/walk/gpu_walk.sh: the commands of README.md, with one shape of suites/fusion.yaml
#     examples     the commands of each README in examples/ that uses the GPU, and a changed Triton kernel
#     gate         tests/gate/gate.sh: whole suites against the same build and against FOLDER/slower; HARNESS_GATE,
#                  HARNESS_GATE_SUITES and HARNESS_GATE_RUNS say which parts, of which suites, how often
#     ab           `harness ab` of HARNESS_GPU_AB, HARNESS_GPU_AB_RUNS (20) times each, with HARNESS_GPU_AB_ARGUMENTS:
#                  same:SUITE, the build against itself, none regressed; slower:probe, against FOLDER/slower,
#                  whose GELU probe does more work, regressed every time. In slices of what time is left: name
#                  fewer to finish them in one call
#     sanitizers   only where it is named, for it takes eight minutes: tests/gpu/sanitize.sh, compute-sanitizer over the
#                  kernels' correctness tests, with HARNESS_GPU_SANITIZERS (racecheck initcheck memcheck synccheck)
#     trace_bytes  tests/gpu/trace_bytes.py: work that data from the host decide, on all ways that they take
#     trace_aa     only where it is named: tests/gpu/trace_aa.py, `ab` of unchanged models and of FFNs 2 % wider, of
#                  HARNESS_TRACE_AA, HARNESS_TRACE_AA_RUNS (20) times each; reports in HARNESS_TRACE_AA_REPORTS count
#     causes       only where it is named: tests/gpu/causes.py, why a step and a kernel got slower; three minutes
#     referee      only where it is named: tests/referee/gpu/referee.sh, rulings on builds that cheat, crash and hang;
#                  tests/cheats/refereed.sh, on the kernels of tests/cheats/corpus.txt
#     places       only where it is named: tests/alignment/moved.sh with before.so and after.so (`ninja places`) of
#                  FOLDER/places, kernels that only lie elsewhere; some minutes
#     energy       only where it is named: tests/energy/energy.yaml twice in five processes each, the table of
#                  tests/energy/figures.py, and a comparison, which is not to be red; five minutes
#     sustained    only where it is named: the same table of suites/fusion.yaml in HARNESS_SUSTAINED_PROCESSES (1)
#                  processes, with the power against its limit; five minutes
#     farm         only where it is named: tests/farm/speedup.sh, a campaign by all GPUs of the host and by one
#     looks        only where it is named: bin/looks of HARNESS_LOOKS_SUITES (those without modules): whether two processes,
#                  which have the cases in opposite orders, find the same identity of each, and the words that differ
#     tree         only where it is named: all suites but `self` in one command, and what took long
#                  (tests/gpu/suite_times.py); then once more, which is to pass by proof
#   OUT=gpu-results              gpu.log, summary.md and results.tar.gz (records, reports, tables) go here
#   HARNESS_COMMIT=<40 digits>   the commit this tree is, where its repository was left behind; inside a repository
#                                it must be what is checked out, or be left out
#   HARNESS_GPU_SECONDS=525      how long all may take
#
# cuDNN, CUPTI, NVRTC, cuFFT, cuSPARSELt and NCCL that only Python's packages have here are found there, unless
# HARNESS_CUDNN_PATH, HARNESS_CUPTI, HARNESS_NVRTC_PATH, HARNESS_CUFFT_PATH, HARNESS_CUSPARSELT_PATH and
# HARNESS_NCCL_PATH say otherwise.
#
# Exit status: 0 all well, 1 a step failed, 2 it could not start.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd "${1:-$root/build/portable/bundle}" 2>/dev/null && pwd) || {
  echo "gpu: no folder ${1:-build/portable/bundle}; make one with ci/bundle.sh" >&2
  exit 2
}
usual_steps="tests suites cheats instrument offsets trace trace_bytes doctor selftest walk examples gate ab"
known_steps="$usual_steps sanitizers trace_aa causes referee places energy sustained farm looks tree"
steps=${HARNESS_GPU_STEPS:-$usual_steps}
for one in $steps; do
  case " $known_steps " in
    *" $one "*) ;;
    *)
      echo "gpu: HARNESS_GPU_STEPS: no step $one; there are: $known_steps" >&2
      exit 2
      ;;
  esac
done
for program in harness test_gpu; do
  if [ ! -x "$folder/bin/$program" ]; then
    echo "gpu: $folder/bin/$program is missing" >&2
    exit 2
  fi
done
# The program refuses it as well, but minutes later, in each of its runs.
if [ -n "${HARNESS_COMMIT:-}" ]; then
  if ! [[ $HARNESS_COMMIT =~ ^[0-9a-f]{40}$ ]]; then
    echo "gpu: HARNESS_COMMIT: $HARNESS_COMMIT is not the 40 digits that \`git rev-parse HEAD\` prints" >&2
    exit 2
  fi
  checked_out=$(git -C "$root" rev-parse --quiet --verify HEAD 2>/dev/null) || checked_out=
  if [ -n "$checked_out" ] && [ "$checked_out" != "$HARNESS_COMMIT" ]; then
    echo "gpu: HARNESS_COMMIT is $HARNESS_COMMIT, but this tree is a repository at $checked_out:" \
      "leave HARNESS_COMMIT out, or check that commit out" >&2
    exit 2
  fi
fi
mkdir -p "${OUT:-gpu-results}" || exit 2
out=$(cd "${OUT:-gpu-results}" && pwd)
scratch=$(mktemp -d) || exit 2
results=$scratch/results
mkdir "$results"
# However it ends, what there is comes back, as few files as can be.
pack() {
  tar -czf "$out/results.tar.gz" -C "$scratch" results
  rm -rf "$scratch"
}
trap pack EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
log=$out/gpu.log
summary=$out/summary.md
: >"$log"
: >"$summary"
cd "$root" || exit 2
export HARNESS_SOURCE_DIR=$root HARNESS_REQUIRE_GPU=1 PATH="$PATH:/usr/local/cuda/bin"
# Nothing is left in the tree. Workers keep compiled modules of installed packages elsewhere.
unset PYTHONPYCACHEPREFIX
export PYTHONDONTWRITEBYTECODE=1

whole_limit=${HARNESS_GPU_SECONDS:-525}  # what a step may still take shrinks towards it
table=()
failures=0
commit=()
if [ -n "${HARNESS_COMMIT:-}" ]; then
  commit=(--commit "$HARNESS_COMMIT")
fi

left() { echo $((whole_limit - SECONDS)); }

# note <name> <result> <time>: a row of the last table.
note() { table+=("$(printf '%-22s %-24s %6s' "$1" "$2" "$3")"); }

fail_step() {
  note "$1" "$2" "$3"
  failures=$((failures + 1))
}

# step <name> <limit in seconds> <command...>: runs it into the log; shows the end of it on failure.
step() {
  local name=$1 limit=$2 began=$SECONDS text=$scratch/step status result
  shift 2
  if [ "$(left)" -lt 5 ]; then
    fail_step "$name" "no time left" -
    return 1
  fi
  if [ "$limit" -gt "$(left)" ]; then
    limit=$(left)
  fi
  timeout --kill-after=10 "$limit" "$@" >"$text" 2>&1
  status=$?
  case $status in
    0) result=ok ;;
    124 | 137) result="over its ${limit} s" ;;
    *) result="failed (status $status)" ;;
  esac
  { printf '\n=== %s: %s\n$ %s\n' "$name" "$result" "$*" && cat "$text"; } >>"$log"
  if [ "$status" -eq 0 ]; then
    note "$name" "$result" "$((SECONDS - began)) s"
    return 0
  fi
  fail_step "$name" "$result" "$((SECONDS - began)) s"
  printf '\n--- %s: %s\n' "$name" "$result"
  tail -n 60 "$text"
  return 1
}

skip() { note "$1" "skipped: $2" -; }

# section <title> <file>: a table of a step, for the summary and the terminal.
section() { { printf '\n## %s\n\n' "$1" && cat "$2"; } | tee -a "$summary"; }

# shellcheck source=ci/gpu_steps.sh
. "$root/ci/gpu_steps.sh"

# python_library <file>: where one of NVIDIA's Python packages has it, or nothing.
python_library() {
  python3 - "$1" 2>/dev/null <<'PY'
import glob, os, sys
import nvidia
found = [file for folder in nvidia.__path__ for file in sorted(glob.glob(os.path.join(folder, "*", "lib", sys.argv[1])))]
print(found[0] if found else "")
PY
}

# library <variable> <file>: names it in the variable, unless that is set or the loader or the toolkit has the file.
library() {
  local folder found
  [ -z "${!1:-}" ] || return 0
  for folder in /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64; do
    [ ! -e "$folder/$2" ] || return 0
  done
  if ldconfig -p 2>/dev/null | grep -q "$2 "; then return 0; fi
  found=$(python_library "$2")
  [ -n "$found" ] || return 0
  export "$1=$found"
  echo "$1=$found" | tee -a "$log"
}
library HARNESS_CUDNN_PATH libcudnn.so.9
library HARNESS_CUPTI libcupti.so.13
library HARNESS_NVRTC_PATH libnvrtc.so.13
library HARNESS_CUFFT_PATH libcufft.so.12
library HARNESS_CUSPARSELT_PATH libcusparseLt.so.0
library HARNESS_NCCL_PATH libnccl.so.2

if command -v nvidia-smi >/dev/null; then
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,power.limit,temperature.gpu,ecc.mode.current \
    --format=csv 2>&1 | tee -a "$log"
fi
for one in $steps; do
  "$one"
done

{
  printf '\n%-22s %-24s %6s\n' step result time
  printf '%s\n' "${table[@]}"
} | tee -a "$log" | tee "$scratch/table"
{ printf '\n```\n' && cat "$scratch/table" && printf '```\n'; } >>"$summary"
printf 'results in %s\n' "$out"
[ "$failures" -eq 0 ]
