#!/usr/bin/env bash
# A run warns before it measures that the host is unfit, that a suite can never decide, or that this machine cannot tell
# what the suite asks for. No verdict changes by it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100 0.03
commit "first"

# The load is read from files, and the device is the real one.
export HARNESS_SYSTEM_ROOT=$work/root HARNESS_LOCK_DIR=$work
mkdir -p root/proc/self
printf 'model name : Some CPU\n' >root/proc/cpuinfo
printf 'MemAvailable: 99999999 kB\n' >root/proc/meminfo
load() {
  echo "$1 0.00 0.00 1/1 1" >root/proc/loadavg
  printf 'cpu 1 1 1 1 1 1 1 1\nprocs_running %s\n' "$2" >root/proc/stat
}
on_cpu() { "$HARNESS" run suite.yaml --device cpu --processes 5 --color never "$@"; }
load 999 4
expect 0 on_cpu
names unfit 999.0 doctor
load 999 1
expect 0 on_cpu
silent_about "unfit to measure"  # the load has ended: it is that of a minute
load 0 4
expect 0 on_cpu
silent_about "unfit to measure"
unset HARNESS_SYSTEM_ROOT

# Fewer processes than a verdict needs, where the time decides.
few="at most 3 processes"
expect 0 "$HARNESS" list suite.yaml --processes 3
names suite.yaml:7: twice/right/n=64
expect 0 run --processes 3
names suite.yaml:7: twice/right/n=64
expect 4 run --processes 3 --against HEAD --min-processes 3
silent_about "$few"
for enough in "--processes 5" "--processes 3 --quick"; do
  # shellcheck disable=SC2086  # several words
  expect 0 run $enough
  silent_about "at most"
done
cp suite.yaml all.yaml
echo '    gate: {metrics: {time: {informative: true}}}' >>suite.yaml
expect 0 "$HARNESS" list suite.yaml --processes 3
silent_about "$few"
cp all.yaml suite.yaml
echo '    gate: {looks: [3, 6]}' >>suite.yaml
expect 0 "$HARNESS" list suite.yaml --processes 3
silent_about "$few"
cp all.yaml suite.yaml

# A minute's calibration: runs say what this machine can tell, and verdicts stay as they are.
verdict() {
  expect "$1" run --processes 5 --against main --report json="$2"
}
git checkout -qb change && speeds 103 0.03 && commit "perhaps slower"
verdict 3 before.json
silent_about "this machine can tell"
expect 0 "$HARNESS" calibrate suite.yaml --quick --device scripted:speed.json
names machine
verdict 3 after.json
names machine --quick --processes
python3 - <<'PY' || problem "a verdict changed by the quick calibration"
import json
before, after = (json.load(open(name))["cases"] for name in ("before.json", "after.json"))
assert [row["verdict"] for row in before] == [row["verdict"] for row in after]
assert [row["reason_fact"]["code"] for row in before] == [row["reason_fact"]["code"] for row in after]
PY
sed -i 's/^    axes:.*/&\n    gate: {margin: 60%}/' suite.yaml
expect 0 run --processes 5
silent_about "this machine can tell"
expect 2 "$HARNESS" calibrate suite.yaml --quick --runs 2
finish
