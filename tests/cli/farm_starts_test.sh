#!/usr/bin/env bash
# Beside its tasks, an element starts a worker for each check of its device, and no other. Stand-ins take the place of GPUs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
cat >suite.yaml <<'YAML'
version: 1
name: shared
modules: [./plugin.so]
cases:
  - workload: shared
    variants: [on_gpus]
    axes: {gpus: 1, n: [64, 65, 66, 67]}
    sampling: {processes: 1, placements: 1, samples: 10, cache: hot, preheat: 0ms}
YAML
stand_in_gpus 2
plan() { expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --device cuda:0 --block 4 --looks 1 --no-confirm; }
# work ARGUMENT... : an element. The dynamic linker writes a file for each process that it starts.
work() {
  rm -rf opened linked && mkdir linked
  LD_DEBUG=libs LD_DEBUG_OUTPUT=$work/linked/by "$HARNESS" farm work --store farm.db --quiet "$@"
}
# starts COUNT: the element opened the GPU so often, each time in another worker, and started no worker for anything else.
starts() {
  same "openings of the GPU" "$(grep -c . opened)" "$1"
  same "workers" "$(($(grep -l 'initialize program: .*/harness$' linked/* | wc -l) - 1))" "$1"
}

# One task: a check, the task, a check.
plan
expect 0 work
starts 3
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["stored"] == report["results"] == 4'

# While another process measures on the GPU, an element does not even open it.
plan
exec 9>"$HARNESS_LOCK_DIR/harness-GPU-0.lock"
flock -n 9 || problem "the lock is not free"
expect 2 work --wait 0
absent opened
exec 9>&-

# A worker tells which GPU it is where NVML does not.
sed -i "1i refuse 1" nvml
plan
expect 0 work
starts 4
sed -i 1d nvml

# A GPU that cannot be opened.
plan
HARNESS_CUDA_MODULE=$work/suite.yaml expect 2 work
names suite.yaml
absent opened

finish
