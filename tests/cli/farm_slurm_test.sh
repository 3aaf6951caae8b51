#!/usr/bin/env bash
# The script for Slurm: it is a script, it starts an element, it passes a signal on, and it is queued again when the time
# ends. Its directives are checked by sbatch where Slurm runs. Time is scripted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite slow right held also_right
sed -i 's/n: \[64\]/n: [32, 64]/; s/timeout: 5s/timeout: 300s/' suite.yaml
speeds 100
commit "fast"

# scontrol REQUEUE JOB: a stand-in that only keeps what it was told.
mkdir bin
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$scratch/requeued" >bin/scontrol
chmod +x bin/scontrol
export PATH=$work/bin:$PATH TMPDIR=$scratch SLURM_JOB_ID=42
plan() {
  expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --block 1 --lease 1h --slurm job.sh "$@"
}

plan --elements 7
bash -n job.sh || problem "job.sh is no script"
for directive in --array=1-7 --requeue --signal=B:TERM@60 --open-mode=append; do
  grep -qx -- "#SBATCH $directive" job.sh || problem "job.sh does not say $directive"
done
! grep -q gres job.sh || problem "it asks for a GPU that nothing needs"
if command -v sbatch >/dev/null && sinfo >/dev/null 2>&1; then
  expect 0 sbatch --test-only job.sh
fi

# It can be started in any folder, and does all the work.
chmod +x job.sh
(cd / && bash "$work/job.sh") >job.log 2>&1 || problem "the job failed: $(cat job.log)"
expect 0 "$HARNESS" farm judge --store farm.db
absent "$scratch/requeued"

# The end of its time: the task is given back, and the job is queued again.
plan
hold
bash job.sh >job.log 2>&1 &
job=$!
eventually are_held 1
kill -TERM $job
status=0
wait $job || status=$?
same "the exit status" $status 130
same "what scontrol was told" "$(cat "$scratch/requeued")" "requeue 42"
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["leased"] == 0' '0 < report["done"] < report["tasks"]'
let_go

# A slow shell finds the element ended when it comes back from the signal. It still learns its exit status.
hold
sed "s|^trap '\\(.*\\)' TERM|trap '\\1; while kill -0 \"\$element\" 2>/dev/null; do sleep 0.05; done' TERM|" job.sh >slow_job.sh
! cmp -s job.sh slow_job.sh || problem "the shell is not slow"
bash slow_job.sh >job.log 2>&1 &
job=$!
eventually are_held 1
kill -TERM $job
status=0
wait $job || status=$?
same "the exit status" $status 130
let_go
bash job.sh >job.log 2>&1 || problem "the job failed when it was queued again: $(cat job.log)"
expect 0 "$HARNESS" farm judge --store farm.db

# Everybody may read a script.
expect 2 "$HARNESS" farm plan suite.yaml --store "postgresql://user:hidden@127.0.0.1:1/none" --device scripted:speed.json --slurm secret.sh
names PGPASSWORD
absent secret.sh
finish
