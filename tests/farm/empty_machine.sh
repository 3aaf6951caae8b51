#!/usr/bin/env bash
# The page of campaigns under Slurm, from an empty machine to a verdict: Debian 12 in a folder, with its packages of
# PostgreSQL and Slurm. The user's commands are read from the documents and typed as they stand there. Prints what a
# terminal shows, and ends with 1 where a command or the job that judges failed.
#
#   tests/farm/empty_machine.sh FOLDER      as root, with Debian's package mmdebstrap; builds all of harness twice
#
# Time is scripted, so that no verdict rests on this machine. HARNESS_CCACHE names a folder of ccache that the builds may use.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_root=$(cd "$here/../.." && pwd)
root=${1:?a folder for the machine}
root=$(realpath -m "$root")
mmdebstrap --variant=minbase --quiet bookworm "$root" >"$root.log" 2>&1
printf '127.0.0.1 localhost db %s\n' "$(hostname)" >"$root/etc/hosts"
cp /etc/resolv.conf "$root/etc/resolv.conf"
git clone -q "$source_root" "$root/root/harness"
git -C "$root/root/harness" checkout -qB main
mkdir "$root/ccache"
# Packages start no services: the administrator does.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cat >"$root/root/admin.sh" <<'ADMIN'
# The administrator: PostgreSQL and Slurm by their packages, a database, and a cluster of four nodes on this machine.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt-get -qq update
apt-get -qq install -y --no-install-recommends git ca-certificates postgresql slurmctld slurmd slurm-client munge
pg_ctlcluster 15 main start
runuser -u postgres -- psql -q -c "CREATE ROLE perf LOGIN PASSWORD 'secret'" -c "CREATE DATABASE harness OWNER perf"
install -d -o munge -g munge -m 755 /run/munge
runuser -u munge -- munged
mkdir -p /var/spool/slurm /etc/slurm
{
  printf '%s\n' ClusterName=perf "SlurmctldHost=$(hostname)(127.0.0.1)" SlurmUser=root ProctrackType=proctrack/linuxproc \
    TaskPlugin=task/none SelectType=select/cons_tres SelectTypeParameters=CR_Core SlurmdParameters=config_overrides \
    MinJobAge=3600 StateSaveLocation=/var/spool/slurm SlurmdSpoolDir=/var/spool/slurm.%n SlurmdPidFile=/run/slurmd.%n.pid \
    SlurmctldLogFile=/var/log/slurmctld.log SlurmdLogFile=/var/log/slurmd.%n.log
  for node in 1 2 3 4; do echo "NodeName=n$node NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=1700$node CPUs=16"; done
  echo "PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
} >/etc/slurm/slurm.conf
slurmctld
for node in 1 2 3 4; do slurmd -N "n$node"; done
until [ "$(sinfo --noheader --states=idle --format=%D)" = 4 ]; do sleep 0.5; done
ADMIN
cat >"$root/root/user.sh" <<'USER'
# The user.
set -uo pipefail
cd ~/harness || exit 1
printf '{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [{"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01}]}\n' >~/speed.json
printf 'version: 1\nall: {device: "scripted:%s/speed.json"}\n' "$HOME" >~/defaults.yaml
export HARNESS_DEFAULTS=$HOME/defaults.yaml GIT_AUTHOR_NAME=user GIT_AUTHOR_EMAIL=user@example.org GIT_COMMITTER_NAME=user
export GIT_COMMITTER_EMAIL=user@example.org
type_in() {
  printf '\n$ %s\n' "$1"
  eval "$1" 2>&1 || { echo "[exit status $?]"; failed=1; }
}
failed=0
typed() { while IFS= read -r command; do type_in "$command"; done < <(printf '%s\n' "$1"); }
echo "# The machine, with what its administrator installed"
type_in "cat /etc/debian_version && psql --version && sinfo"
echo; echo "# README.md"
type_in "$(head -n 1 ~/steps.readme)"
type_in 'export PATH=$PWD/build/release/bin:$PATH'
echo; echo "# A change, and the password that the administrator gave"
type_in "git checkout -qb change && git commit -q --allow-empty -m 'A change' && ci/bootstrap.sh"
type_in "(umask 077; echo 'db:*:harness:perf:secret' >~/.pgpass)"
echo; echo "# manual/many-devices.md, Slurm"
typed "$(cat ~/steps.slurm)"
type_in "squeue"
until [ -z "$(squeue --noheader)" ]; do sleep 1; done
type_in "harness farm status --store postgresql://perf@db/harness"
type_in "head -n 8 harness-judge-*.md"
type_in "scontrol --oneliner show job | grep harness-judge | grep -o 'JobName=[^ ]*\|JobState=[^ ]*\|ExitCode=[^ ]*'"
scontrol --oneliner show job | grep -q 'JobName=harness-judge.* JobState=COMPLETED' || failed=1
exit $failed
USER
commands() { python3 "$source_root/tests/walk/commands.py" "$@"; }
commands README.md 'Two commands' >"$root/root/steps.readme"
commands manual/many-devices.md Slurm >"$root/root/steps.slurm"
export root
# All processes of the machine end with it.
# shellcheck disable=SC2016  # the inner shell expands it
exec unshare --mount --pid --fork --kill-child bash -euc '
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  [ -z "${HARNESS_CCACHE:-}" ] || mount --bind "$HARNESS_CCACHE" "$root/ccache"
  inside() { chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CCACHE_DIR=/ccache \
    bash "$1"; }
  inside /root/admin.sh >>"$root.log" 2>&1
  inside /root/user.sh'
