#!/usr/bin/env bash
# Elements of a campaign that are killed under a real Slurm, in every way that Slurm and a machine have: who is queued again,
# who is not, and that each result is stored once. Elements are held where they are killed, so no moment matters. The GPUs
# are plain files, and time is scripted.
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
start_slurm 2 4  # either node can take all elements
all_idle() { [ "$(sinfo --noheader --states=idle --format=%D)" = 2 ]; }
eventually all_idle

# Four elements, and four tasks that hold who measures them: each element comes to hold one.
repository
suite slow right held also_right
sed -i 's/n: \[64\]/n: [32, 64, 96, 128]/; s/timeout: 5s/timeout: 300s/' suite.yaml
slower_change
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json --block 1 --lease 10s --looks 1 --no-confirm \
  --slurm job.sh --elements 4
farm_status() { "$HARNESS" farm status --store farm.db --report json=status.json >"$printed" 2>&1; }
status_holds() { farm_status && python3 -S "$tests/holds.py" status.json "$1" 2>/dev/null; }

# state NUMBER: of a job of the array, and how often it was queued again.
state() { scontrol --oneliner show job "${array}_$1" | sed -E 's/.*JobState=([^ ]*).*Restarts=([0-9]*).*/\1 \2/'; }
is() { [ "$(state "$1")" = "$2" ]; }
submit() {
  rm -f "$scratch/held/"*
  expect 0 sbatch --parsable --gres=gpu:1 job.sh
  array=$(tail -n 1 "$printed")
}
# process NUMBER: the element of that job, which is the child of its script.
process() {
  local found
  # shellcheck disable=SC2013  # a path in /proc has no space
  for found in $(grep -lzxF "SLURM_ARRAY_TASK_ID=$1" /proc/[0-9]*/environ 2>/dev/null); do
    if ! grep -qzxF "HARNESS_TEST_FOLDER=$scratch" "$found" || ! grep -qzxF "SLURM_ARRAY_JOB_ID=$array" "$found"; then continue; fi
    found=$(basename "$(dirname "$found")")
    is_element "$found" && ! is_element "$(awk '/^PPid:/ { print $2 }' "/proc/$found/status")" && echo "$found"
  done
}
no_element() { [ -z "$(process 1)$(process 2)$(process 3)$(process 4)" ]; }
is_element() { [[ $({ tr "\0" " " <"/proc/$1/cmdline"; } 2>/dev/null) == */harness" farm work "* ]]; }

hold
submit
eventually are_held 4
# The last job that Slurm starts has the id of the whole array.
last=$(squeue --noheader --format="%A %F %K" --jobs="$array" | awk '$1 == $2 { print $3 }')
others=()
for number in 1 2 3 4; do [ "$number" = "$last" ] || others+=("$number"); done
same "jobs beside the last one" ${#others[@]} 3

node=$(squeue --noheader --format=%N --jobs="${array}_$last")

# The end of its time, of that one alone: it gives its task back and is queued again. No other job is.
scancel --signal=TERM --batch "${array}_$last"
again() { is "$last" "PENDING 1"; }
eventually again
for number in "${others[@]}"; do same "the state of job $number" "$(state "$number")" "RUNNING 0"; done
# Slurm lets a job wait for two minutes, because its node refuses it for a while. On the other node this one begins at once.
rm -f "$scratch/held/$last"
expect 0 scontrol update "jobid=${array}_$last" "ExcNodeList=$node" StartTime=now
holds_again() { [ -e "$scratch/held/$last" ]; }
eventually holds_again

# Three ways to lose an element, none of which is queued again: somebody cancels the job, its script is killed, and the
# element itself is, as by the kernel when memory ends. Only the first one can give its task back.
scancel "${array}_${others[0]}"
scancel --signal=KILL --batch "${array}_${others[1]}"
kill -KILL "$(process "${others[2]}")"
cancelled() { is "${others[0]}" "CANCELLED 0"; }
failed() { is "${others[1]}" "FAILED 0" && is "${others[2]}" "FAILED 0"; }
eventually cancelled
eventually failed
# The one that is left does the work of all.
let_go
all_done() { status_holds 'report["done"] == 16'; }
eventually all_done
ended() { is "$last" "COMPLETED 1"; }
eventually ended
for number in 0 1 2; do [[ $(state "${others[number]}") != *" 1" ]] || problem "job ${others[number]} was queued again"; done
holds status.json 'report["tasks"] == 16' 'report["stored"] == report["results"] == 80' 'report["again"] >= 3' \
  'not report.get("waiting")'
eventually no_element  # this Slurm does not know the one whose script was killed
eventually has_checked farm.db
expect 1 "$HARNESS" farm judge --store farm.db --report json=farm.json
same_verdicts

# All elements are lost, and Slurm queues nothing again. `farm status` tells so, and the script is submitted once more.
cp base.db farm.db
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json --block 1 --lease 5s --looks 1 --no-confirm \
  --slurm job.sh --elements 4
hold
submit
eventually are_held 4
for number in 1 2 3 4; do kill -KILL "$(process "$number")"; done
no_job() { [ -z "$(squeue --noheader)" ]; }
eventually no_job
waiting() { status_holds 'report.get("waiting")'; }
eventually waiting
names sbatch
holds status.json '0 < report["done"] < 16' 'report["leased"] == 0'
let_go
submit
eventually all_done
eventually no_job
holds status.json 'report["stored"] == report["results"] == 80' 'not report.get("waiting")'
expect 1 "$HARNESS" farm judge --store farm.db --report json=farm.json
same_verdicts
[ "$failures" -eq 0 ] || tail -n 20 harness-farm-*.log "$slurm"/*.log >&2
finish
