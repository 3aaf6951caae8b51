#!/usr/bin/env bash
# Elements of a campaign on machines that ssh reaches, without Slurm:
#
#   ci/examples/farm-ssh.sh CAMPAIGN postgresql://perf@db/harness gpu1=cuda:0,cuda:1 gpu2=cuda:0
#
# Starts `harness farm work` once for each device and waits for all. The builds of the campaign must be mounted under
# their paths on all machines, and each needs the store's password in ~/.pgpass. Ctrl-C gives the tasks at hand back.
# FARM_DRY_RUN=1 only prints the commands. HARNESS names the program; default: the one of this tree.
set -euo pipefail
if [ $# -lt 3 ]; then
  sed -n '2,4s/^# \?//p' "$0" >&2
  exit 2
fi
campaign=$1 store=$2
shift 2
harness=${HARNESS:-$(cd "$(dirname "$0")/../.." && pwd)/build/release/bin/harness}
elements=()
stop() { kill -TERM "${elements[@]}" 2>/dev/null || true; }
trap stop INT TERM
for machine in "$@"; do
  host=${machine%%=*}
  IFS=, read -ra devices <<<"${machine#*=}"
  for device in "${devices[@]}"; do
    printf -v command '%q ' exec "$harness" farm work "$campaign" --store "$store" --device "$device" --quiet \
      --journal /tmp/harness-farm
    if [ -n "${FARM_DRY_RUN:-}" ]; then
      echo "ssh -tt $host $command"
      continue
    fi
    # A terminal at the other end passes the end of this script on as a hang-up.
    ssh -tt -o BatchMode=yes "$host" "$command" </dev/null >"farm-$host-${device//[^A-Za-z0-9]/-}.log" 2>&1 &
    elements+=($!)
  done
done
status=0
for element in "${elements[@]}"; do
  wait "$element" || status=$?
done
[ -n "${FARM_DRY_RUN:-}" ] || "$harness" farm status "$campaign" --store "$store"
exit "$status"
