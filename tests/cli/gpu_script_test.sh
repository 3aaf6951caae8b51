#!/usr/bin/env bash
# ci/gpu.sh, step by step, without a GPU: its programs are stand-ins that measure the CPU's cases in scripted time
# and call the result GPU time. The test is of the script: its steps, their order, its failures, and the files that it packs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

mkdir -p tree/tests/walk bundle/bin bundle/lib bundle/slower/lib
mkdir tree/suites tree/tests/gpu
cp -r "$tests/../ci" tree/
cat >tree/tests/walk/gpu_walk.sh <<'SH'
#!/bin/sh
[ -d "$1/slower" ]
SH
chmod +x tree/tests/walk/gpu_walk.sh
cp -r "$tests/instrument" "$tests/gate" "$tests/farm" tree/tests/
cp "$tests/gpu/sanitize.sh" "$tests/gpu/suite_times.py" tree/tests/gpu/
cat >tree/suites/probe.yaml <<'YAML'
version: 2
name: probe
defaults: {sampling: {processes: 5, placements: 2, samples: 4, preheat: 0ms, timeout: 20s}}
cases:
  - {workload: probe_copy, variants: [memcpy], tags: [events], axes: {n: 63}}
  - {workload: probe_gelu, variants: [threads], tags: [events], axes: {dtype: f32, n: 63}}
  - {workload: probe_copy, variants: [memcpy], tags: [rotate], axes: {n: 63, cache: [rotate]}}
  - {workload: probe_copy, variants: [memcpy], tags: [batch], axes: {n: 63, cache: [hot], timing: [batch]}}
YAML
for folder in bundle bundle/slower; do
  cp "$KERNELS" $folder/lib/libharness_kernels.so
  cp "$KERNELS" $folder/lib/libharness_cuda.so
done
cat >bundle/bin/test_gpu <<'SH'
#!/bin/sh
echo "test_gpu $* HARNESS_CUPTI=$HARNESS_CUPTI."
[ ! -f "$STANDINS/broken" ]
SH
cat >bundle/bin/harness <<SH
#!/bin/bash
case "\$1 \$2" in "plan "* | "worker "* | "farm judge") exec "$HARNESS" "\$@" ;; esac
case " \$* " in *" doctor "* | *" selftest "*) exit 2 ;; esac
script=$work/fast.json
case "\$0 \$* " in */slower/bin/harness" "* | *" --current-build "*/slower" "*) script=$work/slow.json ;; esac
arguments=() output= report=
for one in "\$@"; do
  [ "\$last" != --output ] || output=\$one
  [[ \$one != json=*/gate/* ]] || report=\${one#json=}
  last=\$one
  case \$one in
    cuda | cuda:*) arguments+=("scripted:\$script") ;;
    --require-gpu) ;;
    *) arguments+=("\$one") ;;
  esac
done
[[ " \$* " == *"--device cuda"* ]] || arguments+=(--device "scripted:\$script")
"$HARNESS" "\${arguments[@]}"
status=\$?
[[ \$output != */results/* ]] || sed -i 's/"wall_time"/"gpu_time"/; s,n=63\([/\"]\),n=16777216\1,' "\$output"
[ ! -f "\$report" ] || sed -i 's,probe_gelu/threads,probe_gelu/vector8,' "\$report"
exit \$status
SH
cat >bundle/bin/offsets <<'SH'
#!/bin/sh
echo "| drawn anew | $* |"
SH
chmod +x bundle/bin/*
# script FILE DIGEST US: what the current build's GELU probe launches, and how long it takes; all else is as ever.
script() {
  cat >"$1" <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "probe_gelu/*", "side": "baseline", "us": 100, "process_sd": 0.001, "sample_sd": 0.001, "identity": {"digest": "a"}},
 {"match": "probe_gelu/*", "us": $3, "process_sd": 0.001, "sample_sd": 0.001, "identity": {"digest": "$2"}},
 {"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.001, "identity": {"digest": "a"}}]}
JSON
}
script fast.json a 100
script slow.json b 120

# rows NAME|RESULT...: rows of the last table.
rows() {
  local one
  for one in "$@"; do says "$(printf '%-22s %s' "${one%%|*}" "${one#*|}")"; done
}

gpu() { env STANDINS="$work" OUT="$work/out" HARNESS_GATE_SUITES=probe PATH="$work/path:$PATH" "$@" tree/ci/gpu.sh bundle; }
# All usual steps, each once.
mkdir path && printf '#!/bin/sh\necho "sanitizer $*"\necho "[  PASSED  ] 1 test."\nshift 6\nexec "$@"\n' >path/compute-sanitizer && chmod +x path/compute-sanitizer
expect 0 gpu HARNESS_GPU_AB_RUNS=2 HARNESS_GPU_AB=slower:probe HARNESS_GPU_PROCESSES=3
rows "tests device|ok" "tests machine code|ok" \
  "run probe|ok" "cheats|skipped: not in this build" "run probes|ok" "run batches|ok" "run rotating|ok" "figures|ok" "offsets|ok" "doctor|skipped: no such command" \
  "walk|ok" "examples|skipped: no Python package" "tests identities|ok" "gate runs|ok" "gate|ok" "ab slower probe|ok, 2 runs"
[ "$(find out -type f | wc -l)" -le 8 ] || problem "too many files: $(ls out)"
tar -tzf out/results.tar.gz >"$printed"
names results/probe.record.json results/instrument.record.json results/figures.md results/offsets.md results/ab-slower-probe/2.json \
  results/gate/figures.jsonl results/gate/slower-probe-1.json results/gate.md
cp out/summary.md "$printed"
says "## Figures of measurement" "## What event times of one process share" "| drawn anew | --output " "## ab slower probe" \
  "## What the gate says" "| proof | probe | 1 | 1 x 0 |" "| all | probe | 1 | 1 x 0 |" "| ab | probe | 1 | 1 x 0 |" \
  "| slower | probe | 1 | 1 x 1 |"
rows "figures|ok"

# A build that is not slower is not found slower, and that is a failure; so are tests that fail.
expect 1 gpu HARNESS_GPU_STEPS="ab" HARNESS_GPU_AB_RUNS=1 HARNESS_GPU_AB="same:probe slower:probe" \
  HARNESS_GPU_AB_ARGUMENTS="--filter probe_copy/*"
rows "ab same probe|ok, 1 runs" "ab slower probe|failed, 1 of 1 runs"
names 'probe_gelu/*'
silent_about "memcheck"
script slow.json b 100
expect 1 gpu HARNESS_GPU_STEPS="gate" HARNESS_GATE="proof slower"
rows "gate runs|ok" "gate|see its table"
names probe_gelu/vector8/dtype=f32/n=63/factor=1
silent_about "is red"
touch broken
expect 1 gpu HARNESS_GPU_STEPS="tests doctor"
rows "tests device|failed (status 1)" "tests attention|failed (status 1)" "doctor|skipped"
expect 1 gpu HARNESS_GPU_STEPS="tests" HARNESS_GPU_SECONDS=3
rows "tests device|no time left"

# Each part of the tests is a process of its own, no part is in two, and what watches a kernel being loaded is alone.
rm broken
expect 0 gpu HARNESS_GPU_STEPS="tests sanitizers suites" HARNESS_GPU_SANITIZERS=racecheck \
  HARNESS_GPU_RUN_ARGUMENTS="--filter probe_copy/* --processes 2"
rows "tests device|ok" "tests matmul|ok" "sanitizers|ok" "run probe|ok"
cp out/gpu.log "$printed"
silent_about "memcheck "
silent_about "synccheck "
says "--gtest_filter=Profiling.*-*KnowsTheMachineCode* " "--gtest_filter=*KnowsTheMachineCode* " \
  "test_gpu.matmul.xml HARNESS_CUPTI=off." "test_gpu.machine_code.xml HARNESS_CUPTI=." \
  "test_gpu.identities.xml HARNESS_CUPTI=." \
  "--gtest_filter=-Profiling.*:Identities.*:Matmul.*:" "--gtest_filter=Identities.* " "racecheck matmul: ok" \
  "--device cuda --require-gpu --quiet --filter probe_copy/* --processes 2 "
silent_about "probe_gelu"

# A bundle of before that program is no failure; what the program finds wrong is, and its table is kept.
printf '#!/bin/sh\necho "| contexts | failed |"\nexit 1\n' >bundle/bin/offsets
expect 1 gpu HARNESS_GPU_STEPS=offsets
rows "offsets|failed (status 1)"
tar -xzOf out/results.tar.gz results/offsets.md >"$printed"
says "| contexts | failed |"
expect 1 gpu HARNESS_GPU_STEPS="doctor offsets" HARNESS_GPU_SECONDS=3
rows "offsets|no time left"
silent_about "No such file"
silent_about "## What event times"
rm bundle/bin/offsets
expect 0 gpu HARNESS_GPU_STEPS=offsets
rows "offsets|skipped: not in this build"

# Steps that are only run by name: what two processes find, a campaign by two GPUs and by one, and all suites in one
# command.
expect 0 gpu HARNESS_GPU_STEPS=looks
rows "looks|skipped: not in this build"
printf '#!/bin/sh\necho "$*: 3 identical"\n' >bundle/bin/looks && chmod +x bundle/bin/looks
expect 0 gpu HARNESS_GPU_STEPS=looks
rows "looks|ok"
names suites/probe.yaml:
printf '#!/bin/sh\necho "  differs: probe_copy/memcpy"; exit 1\n' >bundle/bin/looks
expect 1 gpu HARNESS_GPU_STEPS=looks
rows "looks|failed (status 1)"
names probe_copy/memcpy
printf '#!/bin/sh\n[ "$1" != --list-gpus ] || printf "GPU 0\\nGPU 1\\n"\n' >path/nvidia-smi && chmod +x path/nvidia-smi
expect 0 gpu HARNESS_GPU_STEPS="farm tree" HARNESS_FARM_SUITES=probe HARNESS_FARM_BLOCK=1
rows "farm|ok" "tree measured|ok" "tree proven|ok"
holds_line() { grep -Eq "$1" "$work/out/summary.md" || problem "no line $1 in the summary"; }
holds_line '^\| probe \| [0-9]+ \| '
holds_line '^\| all \| [0-9]+ \| '
holds_line '^\| probe: probe_'
same "campaigns" "$(grep -c '^[12] elements: ' out/summary.md)" 2
same "tasks of both" "$(grep -c '^| tasks | 4 | 4 |' out/summary.md)" 1
tar -tzf out/results.tar.gz >"$printed"
names results/farm/farm.db results/farm/1-of-2.md results/farm/2-of-1.md results/tree.db

# A commit that the program would refuse is refused before anything runs.
wrong=0123456789012345678901234567890123456789
expect 0 gpu HARNESS_GPU_STEPS=doctor HARNESS_COMMIT=$wrong
(cd tree && git init -q -b main . && git add -A && git commit -qm "what is measured")
right=$(git -C tree rev-parse HEAD)
rm -r out
expect 2 gpu HARNESS_GPU_STEPS=doctor HARNESS_COMMIT=$wrong
names HARNESS_COMMIT $wrong "$right"
[ ! -e out ] || problem "something ran: $(ls out)"
expect 2 gpu HARNESS_GPU_STEPS=doctor HARNESS_COMMIT="${right:0:12}"
names "${right:0:12}"
expect 0 gpu HARNESS_GPU_STEPS=doctor HARNESS_COMMIT="$right"

expect 2 gpu HARNESS_GPU_STEPS="tests nonsense"
names nonsense tests sanitizers
expect 2 tree/ci/gpu.sh nowhere
names nowhere ci/bundle.sh
finish
