#!/usr/bin/env bash
# The page of campaigns under Slurm, with a server of PostgreSQL: its commands as they stand there. libpq finds the server of
# this test by PGHOSTADDR, and the password in ~/.pgpass.
# shellcheck source=tests/walk/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/slurm_lib.sh
. "$here/../cli/slurm_lib.sh"
if ! slurm_installed; then
  [ -z "${HARNESS_REQUIRE_SLURM:-}" ] || problem "HARNESS_REQUIRE_SLURM is set, and no Slurm is installed"
  echo "skipped: no Slurm is installed (packages slurmctld, slurmd, slurm-client and munge)"
  finish
fi
# shellcheck source=tests/cli/postgres_lib.sh
. "$here/../cli/postgres_lib.sh"
make_server
trap 'stop_slurm; stop_server; rm -rf "$scratch"' EXIT
port=$(free_port)
printf 'local all harness trust\nhost all all 127.0.0.1/32 scram-sha-256\n' >hba.conf
cat hba.conf >"$server/data/pg_hba.conf"
start_server "-c listen_addresses=127.0.0.1 -c port=$port"
owner="postgresql://harness@/postgres?host=$server&port=$port"
sql "create role perf login password 'se:cret'" || problem "no role"
sql "create database harness owner perf" || problem "no database"
export PGHOSTADDR=127.0.0.1 PGPORT=$port HOME=$scratch/home
mkdir "$HOME"
echo 'db:*:harness:perf:se\:cret' >"$HOME/.pgpass"
chmod 600 "$HOME/.pgpass"
start_slurm 4 4
all_idle() { [ "$(sinfo --noheader --partition=gpu --states=idle --format=%D)" = 4 ]; }
eventually all_idle

clone
ci/bootstrap.sh
git checkout -qb change

page manual/many-devices.md 'Slurm'
step 0 "git worktree add"
step 0 "harness farm plan"
tasks=$(sed -n 's/^campaign .*: \([0-9]*\) task.*/\1/p' "$printed")
id=$(sed -n 's/^campaign \(........\).*/\1/p' "$printed")
step 0 "bash job.sh"
judge=$(sed -n 's/.*exit status of job \([0-9]*\),.*/\1/p' "$printed")
# The tree may go on changing: copies are measured.
echo changed >build/release/bin/harness
over() { ! squeue --noheader --jobs="$judge" 2>/dev/null | grep -q .; }
eventually over
[ -s "harness-judge-$id.md" ] || problem "there is no report: $(cat "harness-judge-$id.log" harness-farm-*.log)"
expect 0 cat "harness-judge-$id.md"
transcribe "cat harness-judge-$id.md"
scontrol --oneliner show job "$judge" >"$printed" 2>&1
names JobState=COMPLETED ExitCode=0:0
for element in harness-farm-"$id"-*.log; do
  grep -q finished "$element" || problem "$element: $(cat "$element")"
done
# A job for each task and for that which judges; the page asks for 16 at most.
same "elements" "$(find . -maxdepth 1 -name "harness-farm-$id-*.log" | wc -l)" $((tasks < 15 ? tasks + 1 : 16))
finish_walk
