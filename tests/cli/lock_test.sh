#!/usr/bin/env bash
# Two runs never measure on one device: the second waits for the first, or says who is in its way.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100
commit "something to measure"
export HARNESS_LOCK_DIR=$work
cpu_lock=$work/harness-cpu.lock

# Somebody else holds the CPU until this shell closes descriptor 9.
hold() {
  exec 9<>"$1"
  flock -n 9 || problem "the lock is not free: $1"
  echo "process 4711, suite theirs, since 2026-01-01T00:00:00Z" >"$1"
}

hold "$cpu_lock"
expect 2 "$HARNESS" run suite.yaml --wait 0
says "device cpu is in use by process 4711, suite theirs, since 2026-01-01T00:00:00Z" "advice:"
expect 2 "$HARNESS" run suite.yaml --wait 1ms
says "waiting: device cpu" "and was for"
expect 2 "$HARNESS" run suite.yaml --wait soon
says "--wait:"

# A script is no device of this host.
expect 0 run

# The second run waits, and measures when the first is gone.
mkfifo said
"$HARNESS" run suite.yaml --quiet --store waited.db >/dev/null 2>said 9>&- &
waiting=$!
read -r line <said
[[ $line == *"waiting: device cpu is in use by process 4711"* ]] || problem "it does not say what it waits for: $line"
exec 9>&-
wait $waiting || problem "the run that waited failed"
grep -q "suite demo" "$cpu_lock" || problem "a run does not say that it holds the device"

# Asked for, a scripted device is locked too, each script for itself.
rm "$cpu_lock"
expect 0 run --wait 0
script_locks=("$work"/harness-*.lock)
[ -f "${script_locks[*]}" ] || problem "not one lock of a script: ${script_locks[*]}"
hold "${script_locks[0]}"
expect 2 run --wait 0
says "is in use by process 4711"
expect 0 run
cp speed.json other.json
expect 0 "$HARNESS" run suite.yaml --device scripted:other.json --wait 0
exec 9>&-

# A folder that cannot be used is an error that says what to do.
HARNESS_LOCK_DIR=$work/none expect 2 "$HARNESS" run suite.yaml
says "the device's lock cannot be used" "HARNESS_LOCK_DIR"
finish
