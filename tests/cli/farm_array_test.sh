#!/usr/bin/env bash
# A campaign under a real Slurm with 16 GPUs on four nodes: an array of elements. Killed elements and the end
# of a job's time are tested in farm_slurm_kills_test.sh. The GPUs are plain files, and time is scripted.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/slurm_lib.sh
. "$tests/cli/slurm_lib.sh"
if ! slurm_installed; then
  [ -z "${HARNESS_REQUIRE_SLURM:-}" ] || problem "HARNESS_REQUIRE_SLURM is set, and no Slurm is installed"
  echo "skipped: no Slurm is installed (packages slurmctld, slurmd, slurm-client and munge)"
  finish
fi
trap 'stop_slurm; rm -rf "$scratch"' EXIT
start_slurm 4 4
eventually sinfo --noheader --states=idle --format=%D
all_idle() { [ "$(sinfo --noheader --states=idle --format=%D)" = 4 ]; }
eventually all_idle

repository
suite slow right held also_right
sed -i 's/n: \[64\]/n: [32, 64, 96, 128]/; s/timeout: 5s/timeout: 300s/' suite.yaml
slower_change
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json --block 1 --lease 5s --looks 1 --no-confirm \
  --slurm job.sh --sbatch cpus-per-task=4 --elements 16
expect 0 sbatch --test-only job.sh
# Planning tells what this cluster can never run, and leaves nothing to measure. Its arrays have 16 jobs at most, and there
# are 17 tasks with the one that judges.
for option in --sbatch=cpus-per-task=999 --sbatch=partition=none --elements=100; do
  cp base.db refused.db
  expect 2 "$HARNESS" farm plan suite.yaml --store refused.db --against main --device scripted:speed.json --block 1 --slurm refused.sh "$option"
  names refused.sh
  expect 0 "$HARNESS" farm list --store refused.db
  names cancelled
done
hold
expect 0 sbatch --parsable --gres=gpu:1 job.sh
job=$(tail -n 1 "$printed")
eventually are_held 4
expect 0 squeue --noheader --states=RUNNING --format=%C --jobs="$job"
[ "$(sort -u "$printed")" = 4 ] || problem "a job has $(sort -u "$printed" | tr '\n' ' ') CPUs, not 4"
let_go
measured() { "$HARNESS" farm status --store farm.db --format json 2>/dev/null | grep -q '"done": 16'; }
eventually measured
scancel "$job" >"$printed" 2>&1
"$HARNESS" farm status --store farm.db --report json=status.json >"$printed" 2>&1 || problem "no status"
holds status.json 'report["done"] == report["tasks"] == 16' 'report["stored"] == report["results"] == 80' \
  'len(report["elements"]) >= 4'
eventually has_checked farm.db
expect 1 "$HARNESS" farm judge --store farm.db --report json=farm.json
same_verdicts
[ "$failures" -eq 0 ] || tail -n 20 harness-farm-*.log "$slurm"/*.log >&2
finish
