# shellcheck shell=bash disable=SC2154  # scratch and printed are those of tests/lib.sh
# Sourced by tests that need a Slurm: Debian's packages slurmctld, slurmd, slurm-client and munge, on this machine alone.

slurm_installed() {
  local program
  for program in slurmctld slurmd munged sbatch; do command -v $program >/dev/null || return 1; done
  [ "$(id -u)" -eq 0 ]  # slurmd starts jobs as other users
}

# start_slurm NODES GPUS: nodes of this machine with so many GPUs each, which are plain files.
start_slurm() {
  local nodes=$1 gpus=$2 host node gpu
  host=$(hostname -s)
  slurm=$scratch/slurm
  mkdir -p "$slurm/state" "$slurm/munge"
  chmod 755 "$scratch" "$slurm"
  dd if=/dev/urandom of="$slurm/munge/key" bs=1024 count=1 2>/dev/null
  chown -R munge: "$slurm/munge"
  chmod 755 "$slurm/munge"
  chmod 400 "$slurm/munge/key"
  runuser -u munge -- /usr/sbin/munged --force --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" \
    --pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" >"$printed" 2>&1 ||
    problem "munged does not start"
  cat >"$slurm/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=3600
MaxArraySize=17
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmdSpoolDir=$slurm/spool.%n
StateSaveLocation=$slurm/state
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
SchedulerParameters=batch_sched_delay=0,sched_interval=1
CONF
  for node in $(seq "$nodes"); do
    echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=16 Gres=gpu:test:$gpus" >>"$slurm/slurm.conf"
    for gpu in $(seq "$gpus"); do
      touch "$slurm/gpu$node-$gpu"
      echo "NodeName=n$node Name=gpu Type=test File=$slurm/gpu$node-$gpu" >>"$slurm/gres.conf"
    done
  done
  echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$slurm/slurm.conf"
  echo "PartitionName=gpu Nodes=ALL MaxTime=INFINITE State=UP" >>"$slurm/slurm.conf"
  export SLURM_CONF=$slurm/slurm.conf
  slurmctld -f "$SLURM_CONF" >"$printed" 2>&1 || problem "slurmctld does not start"
  for node in $(seq "$nodes"); do
    slurmd -f "$SLURM_CONF" -N "n$node" >"$printed" 2>&1 || problem "slurmd n$node does not start"
  done
}

stop_slurm() {
  local file
  [ -n "${slurm:-}" ] || return 0
  scancel --full --user=root >/dev/null 2>&1
  no_job() { [ -z "$(squeue --noheader 2>/dev/null)" ]; }
  eventually no_job
  for file in "$slurm"/slurmd.*.pid "$slurm"/slurmctld.pid "$slurm"/munge/pid; do
    [ ! -s "$file" ] || kill -KILL "$(cat "$file")" 2>/dev/null
  done
}
