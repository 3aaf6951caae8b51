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

# scontrol REQUEUE JOB: a stand-in that only keeps what it was told. It fails as often as `away` has lines. squeue: the state
# of the job.
mkdir bin
cat >bin/scontrol <<'STAND_IN'
#!/bin/sh
echo "$@" >>"$HARNESS_TEST_FOLDER/requeued"
[ ! -s "$HARNESS_TEST_FOLDER/away" ] || { sed -i 1d "$HARNESS_TEST_FOLDER/away"; exit 1; }
STAND_IN
printf '#!/bin/sh\ncat "%s"\n' "$scratch/state" >bin/squeue
chmod +x bin/*
echo RUNNING >"$scratch/state"
export PATH=$work/bin:$PATH TMPDIR=$scratch SLURM_JOB_ID=42 SLURM_ARRAY_JOB_ID=42 SLURM_ARRAY_TASK_ID=7
plan() {
  expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --block 1 --lease 1h --slurm job.sh "$@"
}

# No more jobs than tasks, of which there are 8.
plan --elements 100
grep -qx -- "#SBATCH --array=1-8" job.sh || problem "not a job for each task: $(grep array job.sh)"
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

# end_of_time SCRIPT: starts it, and sends its shell TERM while its element has a task at hand. Expects 130.
end_of_time() {
  local job status=0
  rm -f "$scratch/requeued"
  hold
  bash "$1" >job.log 2>&1 &
  job=$!
  eventually are_held 1
  kill -TERM $job
  wait $job || status=$?
  same "the exit status" $status 130
  let_go
}

# The end of its time: the task is given back, and the job is queued again. The array has the id of its last job: the task's
# number must be told, too.
plan
end_of_time job.sh
same "what scontrol was told" "$(cat "$scratch/requeued")" "requeue 42_7"
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
holds status.json 'report["leased"] == 0' '0 < report["done"] < report["tasks"]' 'report["waiting"]'
names sbatch

# A slow shell finds the element ended when it comes back from the signal. It still learns its exit status.
sed "s|^trap '\\(.*\\)' TERM|trap '\\1; while kill -0 \"\$element\" 2>/dev/null; do sleep 0.05; done' TERM|" job.sh >slow_job.sh
! cmp -s job.sh slow_job.sh || problem "the shell is not slow"
end_of_time slow_job.sh
same "what scontrol was told" "$(cat "$scratch/requeued")" "requeue 42_7"

# slurmctld is away for a while.
sed 's/sleep 5/sleep 0.1/' job.sh >hasty_job.sh
! cmp -s job.sh hasty_job.sh || problem "the script waits for nobody"
printf 'once\ntwice\n' >"$scratch/away"
end_of_time hasty_job.sh
same "how often scontrol was told" "$(grep -cx "requeue 42_7" "$scratch/requeued")" 3

# A job that somebody cancelled gets the same signal, and is not queued again.
echo COMPLETING >"$scratch/state"
end_of_time job.sh
absent "$scratch/requeued"
echo RUNNING >"$scratch/state"

# The signal comes before the element knows signals: here, before it is started.
sed 's/^cd /kill -TERM $$; &/' job.sh >early_job.sh
! cmp -s job.sh early_job.sh || problem "the signal does not come early"
status=0
bash early_job.sh >job.log 2>&1 || status=$?
[ "$status" -ne 0 ] || problem "the element measured"
same "what scontrol was told" "$(cat "$scratch/requeued")" "requeue 42_7"

# The end of its time while the store is away.
sed "s|--store [^ ]*|--store postgresql://harness@127.0.0.1:1/none|" job.sh >away_job.sh
! cmp -s job.sh away_job.sh || problem "the store is not away"
rm -f "$scratch/requeued"
bash away_job.sh >job.log 2>&1 &
job=$!
waits() { grep -q "waiting for the store" job.log; }
eventually waits
kill -TERM $job
status=0
wait $job || status=$?
same "the exit status" $status 130
same "what scontrol was told" "$(cat "$scratch/requeued")" "requeue 42_7"

# The store is away for longer than an element waits.
sed 's| farm work | farm work --patience 0s |' away_job.sh >impatient_job.sh
rm -f "$scratch/requeued"
status=0
bash impatient_job.sh >job.log 2>&1 || status=$?
same "the exit status" $status 75
same "what scontrol was told" "$(cat "$scratch/requeued")" "requeue 42_7"

# A job that Slurm ends in an hour tells its element so, a minute less.
printf '#!/bin/sh\ncase $* in *%%e*) date -d "1 hour" +%%FT%%T ;; *) cat "%s" ;; esac\n' "$scratch/state" >bin/squeue
sed "s|[^ ]*harness farm work|echo farm work|" job.sh >told_job.sh
bash told_job.sh >job.log 2>&1 || problem "the job failed: $(cat job.log)"
grep -qE 'farm work .* --time 35[34][0-9]s' job.log || problem "the element is not told its time: $(cat job.log)"

# Who runs the script submits it, and a job that judges when the elements have ended.
cat >bin/sbatch <<'STAND_IN'
#!/bin/sh
printf '%s\n' "$*" >>"$HARNESS_TEST_FOLDER/submitted"
echo 41
STAND_IN
chmod +x bin/sbatch
cp job.sh before.sh
PGPASSFILE=$work/passwords plan --elements 3 --sbatch partition=gpu --sbatch account=perf --sbatch time=2:00:00 --sbatch cpus-per-task=16 \
  --slurm-inside "env INSIDE=yes"
for directive in --array=1-3 --partition=gpu --account=perf --time=2:00:00 --cpus-per-task=16; do
  grep -qx -- "#SBATCH $directive" job.sh || problem "job.sh does not say $directive"
done
grep -qxF "export PGPASSFILE=$work/passwords" job.sh || problem "job.sh does not name the file of passwords"
grep -q "^env INSIDE=yes .*harness farm work" job.sh || problem "elements are not started inside"
(cd / && env -u SLURM_JOB_ID bash "$work/job.sh") >job.log 2>&1 || problem "nothing was submitted: $(cat job.log)"
same "jobs" "$(wc -l <"$scratch/submitted")" 2
grep -q -- "--parsable $work/job.sh" "$scratch/submitted" || problem "no elements: $(cat "$scratch/submitted")"
judge=$(tail -n 1 "$scratch/submitted")
for word in --dependency=afterany:41 --partition=gpu --account=perf --time=2:00:00 "farm judge"; do
  [[ $judge == *"$word"* ]] || problem "the job that judges lacks $word: $judge"
done
[[ $judge != *cpus-per-task* ]] || problem "the job that judges asks for CPUs"
for option in --partition=gpu ""; do
  expect 2 "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --slurm no.sh --sbatch="$option"
  absent no.sh
done

# A cluster that would never run the jobs: nothing is left to measure.
printf '#!/bin/sh\necho "Requested node configuration is not available" >&2\nexit 1\n' >bin/sbatch
printf '#!/bin/sh\n' >bin/sinfo
chmod +x bin/sinfo
expect 2 "$HARNESS" farm plan suite.yaml --store farm.db --device scripted:speed.json --slurm no.sh --sbatch cpus-per-task=999
names no.sh node
expect 0 "$HARNESS" farm list --store farm.db
[ "$(head -n 1 "$printed" | grep -c cancelled)" = 1 ] || problem "the campaign is not cancelled"
rm bin/sbatch bin/sinfo
mv before.sh job.sh

rm "$scratch/requeued"
bash job.sh >job.log 2>&1 || problem "the job failed when it was queued again: $(cat job.log)"
absent "$scratch/requeued"
expect 0 "$HARNESS" farm judge "$(sed -n 's/.* farm work \([^ ]*\) .*/\1/p' job.sh)" --store farm.db

# Everybody may read a script.
expect 2 "$HARNESS" farm plan suite.yaml --store "postgresql://user:hidden@127.0.0.1:1/none" --device scripted:speed.json --slurm secret.sh
names PGPASSWORD
absent secret.sh
finish
