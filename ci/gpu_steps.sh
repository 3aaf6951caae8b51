# shellcheck shell=bash disable=SC2154  # `folder`, `results`, `scratch` and `commit` are those of ci/gpu.sh
# The steps of ci/gpu.sh, which sources this file and says what each step does: a function has the name of its step.

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
  for suite in $(suites_of_folder); do
    [ -f "$results/$suite.record.json" ] || step "honest $suite" 120 "$folder/bin/harness" run "suites/$suite.yaml" \
      --device cuda --require-gpu --quiet "${commit[@]}" --processes 2 --store "$scratch/honest.db" \
      --output "$results/$suite.record.json"
  done
  # shellcheck disable=SC2046 # several files
  step "no false alarm" 30 python3 tests/cheats/outcomes.py --honest \
    $(for suite in $(suites_of_folder); do printf '%s ' "$results/$suite.record.json"; done)
  if [ -f "$scratch/step" ]; then
    cp "$scratch/step" "$results/honest.md"
    section "Honest kernels" "$results/honest.md"
  fi
}

# The suites of HARNESS_GPU_SUITES but `self`, whose programs are not in FOLDER.
suites_of_folder() {
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

trace_bytes() {
  if [ ! -f "$folder/lib/libharness_trace.so" ]; then
    skip trace_bytes "not in this build"
  elif ! command -v nvcc >/dev/null; then
    skip trace_bytes "no nvcc here"
  else
    step trace_bytes 400 python3 tests/gpu/trace_bytes.py "$folder" "$results/trace_bytes"
    cp "$scratch/step" "$results/trace_bytes.md"
    rm -f "$results"/trace_bytes/*.db* "$results"/trace_bytes/{bytes,with}
    section "Work that comes from the host" "$results/trace_bytes.md"
  fi
}

# Builds in processes of their own, ruled by a referee.
referee() {
  step referee "$(left)" tests/referee/gpu/referee.sh "$folder" "$results/referee" && section "Rulings" "$scratch/step"
  step "cheats before the referee" "$(left)" tests/cheats/refereed.sh "$folder" cuda "$results/refereed" &&
    section "Cheats before the referee" "$scratch/step"
}

# Is it slower, or does it only lie elsewhere?
places() {
  if [ ! -f "$folder/places/after.so" ]; then
    skip places "not in this build"
    return
  fi
  step places "$(left)" tests/alignment/moved.sh "$folder" "$folder/places" "$results/places" && section "Places" "$scratch/step"
}

# energy_table <name> <processes> <record>...: of these records, for the summary. The step fails where a case is not
# steady enough, or has fewer energies than processes.
energy_table() {
  local name=$1 processes=$2
  shift 2
  rm -f "$scratch/step"
  step "$name table" 30 python3 tests/energy/figures.py --processes "$processes" "$@"
  [ -f "$scratch/step" ] || return  # there was no time left
  cp "$scratch/step" "$results/$name.md"
  section "Energy and time without pauses, $name" "$results/$name.md"
}

# none_skipped <name>: fails where gpu_tests <name> has left a test out.
none_skipped() {
  local skipped
  skipped=$(grep -c '<skipped' "$results/test_gpu.${1// /_}.xml")
  [ "$skipped" = 0 ] || fail_step "all of $1" "${skipped:-all} skipped" -
}

energy() {
  local one
  HARNESS_CUPTI=off gpu_tests energies 60 'Energies.*' && none_skipped energies
  for one in first second; do
    step "energy $one" 240 "$folder/bin/harness" run tests/energy/energy.yaml --device cuda --require-gpu --quiet \
      "${commit[@]}" --store "$scratch/energy.db" --output "$results/energy-$one.record.json" || return
  done
  energy_table energy 5 "$results/energy-first.record.json" "$results/energy-second.record.json"
  step "energy compared" 30 "$folder/bin/harness" compare --baseline "$results/energy-first.record.json" \
    --current "$results/energy-second.record.json" --color never --report "json=$results/energy.report.json"
  section "The same build twice" "$scratch/step"
}

# The suite with two more metrics.
sustained() {
  sed 's/, fusion_bound]/, fusion_bound, energy, sustained_time]/; /^claims:/,$d' suites/fusion.yaml >"$scratch/sustained.yaml"
  step "sustained run" "$(left)" "$folder/bin/harness" run "$scratch/sustained.yaml" --device cuda --require-gpu --quiet \
    "${commit[@]}" --processes "${HARNESS_SUSTAINED_PROCESSES:-1}" --store "$scratch/sustained.db" \
    --output "$results/sustained.record.json" &&
    energy_table sustained "${HARNESS_SUSTAINED_PROCESSES:-1}" "$results/sustained.record.json"
}

causes() {
  mkdir -p "$results/causes"
  step causes "$(left)" python3 tests/gpu/causes.py "$folder" "$results/causes"
  rm -f "$results"/causes/*.db*
  [ ! -f "$results/causes/causes.md" ] || section "Why it got slower" "$results/causes/causes.md"
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

looks() {
  local suites
  if [ ! -x "$folder/bin/looks" ]; then
    skip looks "not in this build"
    return
  fi
  suites=${HARNESS_LOOKS_SUITES:-$(for suite in $(suites_of_folder); do
    grep -q '^modules:' "suites/$suite.yaml" || printf '%s ' "$suite"
  done)}
  rm -f "$scratch/step"
  # shellcheck disable=SC2046 # several files
  step looks "$(left)" "$folder/bin/looks" $(for suite in $suites; do printf 'suites/%s.yaml ' "$suite"; done)
  [ -f "$scratch/step" ] || return  # there was no time left
  cp "$scratch/step" "$results/looks.txt"
  grep -v ' s$' "$results/looks.txt" || true
}

# The record is the baseline of the second run.
# Cases that need more GPUs than there are end skipped.
tree() {
  local suite suites=()
  for suite in $(suites_of_folder); do suites+=("suites/$suite.yaml"); done
  if [ "${#suites[@]}" -eq 0 ]; then
    skip tree "no suite of HARNESS_GPU_SUITES has its programs here"
    return
  fi
  # Nothing that kernels may use beside the tree changes within this step.
  local -x HARNESS_ENVIRONMENT=${HARNESS_ENVIRONMENT:-"one step of ci/gpu.sh, begun $(date -u +%FT%TZ)"}
  step "tree needs a GPU" 60 "$folder/bin/harness" run suites/probe.yaml --device cuda --require-gpu --quiet \
    "${commit[@]}" --processes 1 --store "$scratch/gpu.db" || return
  step "tree measured" "$(left)" "$folder/bin/harness" run "${suites[@]}" --quiet "${commit[@]}" \
    --store "$results/tree.db" --save-as tree || return
  python3 tests/gpu/suite_times.py "$results/tree.db" --families 30 >"$results/suite_times.md"
  section "Suites one after the other" "$results/suite_times.md"
  step "tree proven" "$(left)" "$folder/bin/harness" run "${suites[@]}" --quiet "${commit[@]}" \
    --store "$results/tree.db" --against @tree
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
