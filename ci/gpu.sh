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
#     trace_aa     only where it is named: tests/gpu/trace_aa.py, `ab` of unchanged models and of FFNs 2 % wider, of
#                  HARNESS_TRACE_AA, HARNESS_TRACE_AA_RUNS (20) times each; reports in HARNESS_TRACE_AA_REPORTS count
#     farm         only where it is named: tests/farm/speedup.sh, a campaign by all GPUs of the host and by one
#     tree         only where it is named: all suites in one command, then once more, which is to pass by proof
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
usual_steps="tests suites cheats instrument offsets trace doctor selftest walk examples gate ab"
known_steps="$usual_steps sanitizers trace_aa farm tree"
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
export HARNESS_SOURCE_DIR=$root HARNESS_REQUIRE_GPU=1 PATH="$PATH:/usr/local/cuda/bin" PYTHONDONTWRITEBYTECODE=1

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

# gpu_tests <name> <limit in seconds> <filter>: these tests, in a process of their own.
gpu_tests() {
  step "tests $1" "$2" "$folder/bin/test_gpu" --gtest_brief=1 --gtest_filter="$3" \
    --gtest_output="xml:$results/test_gpu.${1// /_}.xml"
}

# CUPTI is in those processes alone that are about it. Alone, because it watches a kernel being loaded, which
# happens once a process: the machine code.
tests() {
  local one others=
  # Families whose tests take long have a process each.
  local families=('matmul Matmul.*' 'attention Attention.*' 'masks Masks.*' 'blocks Blocks.*' 'sparse Sparse*'
    'training Training.*' 'linear_gelu LinearGelu.*' 'networks *Networks.*')
  for one in "${families[@]}"; do others+=:${one#* }; done
  HARNESS_CUPTI=off gpu_tests device 120 "-Profiling.*:Identities.*$others"
  for one in "${families[@]}"; do HARNESS_CUPTI=off gpu_tests "${one%% *}" 180 "${one#* }"; done
  gpu_tests profiling 60 'Profiling.*-*KnowsTheMachineCode*'
  gpu_tests "machine code" 30 '*KnowsTheMachineCode*'
  gpu_tests identities 60 'Identities.*'
}

# No finding of compute-sanitizer while the kernels run on regular and odd shapes.
sanitizers() {
  if ! command -v compute-sanitizer >/dev/null; then
    skip sanitizers "not installed"
    return
  fi
  local tools
  read -ra tools <<<"${HARNESS_GPU_SANITIZERS:-}"
  step sanitizers "$(left)" env HARNESS_SANITIZE_SECONDS=$(($(left) - 10)) tests/gpu/sanitize.sh "$folder/bin/test_gpu" \
    "$results/sanitizers" "${tools[@]}" && section "compute-sanitizer" "$scratch/step"
}

# Records and reports go to the results; what a person would see, to the terminal.
suites() {
  local suite all arguments=()
  read -ra arguments <<<"${HARNESS_GPU_RUN_ARGUMENTS:-}"
  all=$(cd suites && for suite in *.yaml; do printf '%s ' "${suite%.yaml}"; done)
  for suite in ${HARNESS_GPU_SUITES:-$all}; do
    step "run $suite" "${HARNESS_GPU_SUITE_SECONDS:-180}" "$folder/bin/harness" run "suites/$suite.yaml" \
      --device cuda --require-gpu --quiet "${commit[@]}" "${arguments[@]}" --store "$scratch/$suite.db" --output "$results/$suite.record.json" \
      --report "json=$results/$suite.report.json,markdown=$results/$suite.md" && cat "$scratch/step"
  done
}

cheats() {
  local device suite
  if [ ! -f "$folder/lib/libcuda_cheats_plugin.so" ]; then
    skip cheats "not in this build"
    return
  fi
  for device in cuda cpu; do
    rm -f "$scratch/step"
    step "cheats $device" 150 tests/cheats/cheats.sh "$folder" "$device" "$results/cheats-$device"
    [ -f "$scratch/step" ] || continue  # there was no time left
    cp "$scratch/step" "$results/cheats-$device.md"
    section "Kernels that cheat, $device" "$results/cheats-$device.md"
  done
  for suite in $(honest_suites); do
    [ -f "$results/$suite.record.json" ] || step "honest $suite" 120 "$folder/bin/harness" run "suites/$suite.yaml" \
      --device cuda --require-gpu --quiet "${commit[@]}" --processes 2 --store "$scratch/honest.db" \
      --output "$results/$suite.record.json"
  done
  # shellcheck disable=SC2046 # several files
  step "no false alarm" 30 python3 tests/cheats/outcomes.py --honest \
    $(for suite in $(honest_suites); do printf '%s ' "$results/$suite.record.json"; done)
  if [ -f "$scratch/step" ]; then
    cp "$scratch/step" "$results/honest.md"
    section "Honest kernels" "$results/honest.md"
  fi
}

# The suites of HARNESS_GPU_SUITES that have cases for a GPU.
honest_suites() {
  local suite all
  all=$(cd suites && for suite in *.yaml; do printf '%s ' "${suite%.yaml}"; done)
  for suite in ${HARNESS_GPU_SUITES:-$all}; do
    [ "$suite" = self ] || printf '%s ' "$suite"
  done
}

instrument() {
  local processes=${HARNESS_GPU_PROCESSES:-12} record=$results/instrument.record.json batches=$results/batches.record.json
  local rotating=$results/rotating.record.json
  local began ended
  began=$(date +%s.%N)
  step "run probes" 180 "$folder/bin/harness" run suites/probe.yaml --device cuda --tag events --require-gpu --quiet \
    "${commit[@]}" --processes "$processes" --store "$scratch/instrument.db" --output "$record" || return
  ended=$(date +%s.%N)
  step "run batches" 120 "$folder/bin/harness" run suites/probe.yaml --device cuda --tag batch --require-gpu --quiet \
    "${commit[@]}" --processes "$processes" --store "$scratch/instrument.db" --output "$batches"
  step "run rotating" 120 "$folder/bin/harness" run suites/probe.yaml --device cuda --tag rotate --require-gpu --quiet \
    "${commit[@]}" --processes "$processes" --store "$scratch/instrument.db" --output "$rotating"
  step figures 30 python3 tests/instrument/figures.py "$record" "$rotating" "$batches" \
    --wall "$(awk -v began="$began" -v ended="$ended" 'BEGIN {print ended - began}')"
  cp "$scratch/step" "$results/figures.md"
  section "Figures of measurement" "$results/figures.md"
}

offsets() {
  if [ ! -x "$folder/bin/offsets" ]; then
    skip offsets "not in this build"
    return
  fi
  rm -f "$scratch/step"
  step offsets 60 "$folder/bin/offsets" --output "$results/offsets.json"
  [ -f "$scratch/step" ] || return  # there was no time left
  cp "$scratch/step" "$results/offsets.md"
  section "What event times of one process share" "$results/offsets.md"
}

trace() {
  if [ ! -f "$folder/lib/libharness_trace.so" ]; then
    skip trace "not in this build"
  elif ! python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    skip trace "no PyTorch here"
  else
    step trace 480 python3 tests/gpu/trace_proof.py "$folder" "$results/trace"
    cp "$scratch/step" "$results/trace.md"
    rm -f "$results"/trace/*.db
    section "Programs under the trace" "$results/trace.md"
  fi
}

# In slices: reports of earlier calls are named, and only what is missing is run.
trace_aa() {
  mkdir -p "$results/trace_aa"
  if [ -d "${HARNESS_TRACE_AA_REPORTS:-}" ]; then
    cp "$HARNESS_TRACE_AA_REPORTS"/*.json "$results/trace_aa"
  fi
  HARNESS_TRACE_AA_SECONDS=$(($(left) - 15)) step trace_aa "$(left)" python3 tests/gpu/trace_aa.py "$folder" "$results/trace_aa"
  rm -f "$results"/trace_aa/*.db*
  [ ! -f "$results/trace_aa/tally.md" ] || section "Programs that did not change, and wider ones" "$results/trace_aa/tally.md"
}

farm() {
  step farm "$(left)" tests/farm/speedup.sh "$folder" "$results/farm" && section "Campaigns by several GPUs and by one" "$scratch/step"
}

# The record is the baseline of the second run.
tree() {
  step "tree measured" "$(left)" "$folder/bin/harness" run suites/*.yaml --require-gpu --quiet "${commit[@]}" \
    --store "$scratch/tree.db" --save-as tree || return
  step "tree proven" "$(left)" "$folder/bin/harness" run suites/*.yaml --require-gpu --quiet "${commit[@]}" \
    --store "$scratch/tree.db" --against @tree
  cp "$scratch/tree.db" "$results/tree.db"
}

has_command() { "$folder/bin/harness" "$1" --help >/dev/null 2>&1; }

doctor() {
  if has_command doctor; then
    step doctor 60 "$folder/bin/harness" doctor --device cuda && cat "$scratch/step"
  else
    skip doctor "no such command"
  fi
}

selftest() {
  if has_command selftest; then
    step selftest 90 "$folder/bin/harness" selftest --aa suites/probe.yaml --device cuda && cat "$scratch/step"
  else
    skip selftest "no such command"
  fi
}

walk() {
  if [ ! -d "$folder/slower" ]; then
    skip walk "no FOLDER/slower"
    return
  fi
  step walk 400 tests/walk/gpu_walk.sh "$folder"
}

# The status 77 says that something is not installed.
examples() {
  local one
  if [ ! -d "$folder/share/harness/python" ]; then
    skip examples "no Python package"
    return
  fi
  for one in "example_test.sh python_case" "example_test.sh cuda_program" "example_test.sh pytorch_step" "example_test.sh triton_kernel" \
    "example_test.sh nvbench" triton_changed_test.sh; do
    rm -f "$scratch/step"
    # shellcheck disable=SC2016,SC2086 # the script's own words; a test and its argument
    HARNESS=$folder/bin/harness step "${one#example_test.sh }" 200 \
      bash -c '"$@" || [ $? -eq 77 ]' examples tests/examples/$one
    [ ! -f "$scratch/step" ] || grep -E '^skipped|^passed|triton_rows|torch_softmax' "$scratch/step"
  done
}

gate() {
  local tally=$results/gate.md began=$SECONDS
  HARNESS_GATE_SECONDS=$(left) step "gate runs" "$(left)" tests/gate/gate.sh "$folder" "$results/gate" || return
  if python3 tests/gate/figures.py "$results/gate" >"$tally" 2>&1; then
    note gate ok "$((SECONDS - began)) s"
  else
    fail_step gate "see its table" "$((SECONDS - began)) s"
  fi
  section "What the gate says" "$tally"
}

# ab_runs <same or slower> <suite>: as many runs as are wanted and there is time for, then their tally.
ab_runs() {
  local kind=$1 suite=$2 wanted=${HARNESS_GPU_AB_RUNS:-20} began=$SECONDS current=$scratch/ab/same run=0 status
  local name="ab $kind $suite" reports=$results/ab-$kind-$suite tally=$results/ab-$kind-$suite.md expected=()
  # A build is identical to itself: without this nothing would be measured.
  local arguments=(--measure all)
  if [ "$kind" = slower ]; then
    arguments=()
    current=$folder/slower
    expected=(--regressed 'probe_gelu/*')
  fi
  mkdir -p "$reports"
  printf '\n=== %s\n' "$name" >>"$log"
  while [ "$run" -lt "$wanted" ] && [ "$(left)" -ge 10 ]; do
    run=$((run + 1))
    # shellcheck disable=SC2086 # several arguments
    timeout --kill-after=5 "$(left)" "$folder/bin/harness" ab "suites/$suite.yaml" --device cuda --quiet --color never \
      --seed "$run" --baseline-build "$scratch/ab/baseline" --current-build "$current" --store "$scratch/ab.db" \
      --report "json=$reports/$run.json" "${arguments[@]}" ${HARNESS_GPU_AB_ARGUMENTS:-} >"$scratch/step" 2>&1
    status=$?
    { printf -- '--- run %s: status %s\n' "$run" "$status" && cat "$scratch/step"; } >>"$log"
    case $status in
      0 | 1 | 3) ;;  # a verdict; which one, the tally tells
      *)
        rm -f "$reports/$run.json"
        tail -n 30 "$scratch/step"
        break
        ;;
    esac
  done
  find "$reports" -name '*.json' -exec python3 tests/instrument/tally.py --runs "$wanted" "${expected[@]}" {} + \
    >"$tally" 2>&1
  status=$?
  run=$(find "$reports" -name '*.json' | wc -l)
  if [ "$status" -eq 0 ] && [ "$run" -gt 0 ]; then
    note "$name" "ok, $run runs" "$((SECONDS - began)) s"
  else
    fail_step "$name" "failed, $run of $wanted runs" "$((SECONDS - began)) s"
  fi
  section "$name" "$tally"
}

# Two files that a process can load side by side: the build against a copy of itself.
ab() {
  local one side
  for side in baseline same; do
    mkdir -p "$scratch/ab/$side/lib"
    cp "$folder/lib/libharness_kernels.so" "$folder/lib/libharness_cuda.so" "$scratch/ab/$side/lib/" || {
      fail_step ab "a module is missing" -
      return
    }
  done
  for one in ${HARNESS_GPU_AB:-slower:probe same:probe same:fusion}; do
    case $one in
      slower:*)
        if [ -d "$folder/slower" ]; then
          ab_runs slower "${one#*:}"
        else
          skip "ab $one" "no FOLDER/slower"
        fi
        ;;
      same:*) ab_runs same "${one#*:}" ;;
      *) fail_step "ab $one" "same:SUITE or slower:SUITE" - ;;
    esac
  done
}

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
