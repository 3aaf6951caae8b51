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
holder="process 4711, suite theirs, since 2026-01-01T00:00:00Z"

# Somebody else holds the device until this shell closes descriptor 9.
hold() {
  exec 9<>"$1"
  flock -n 9 || problem "the lock is not free: $1"
  echo "$holder" >"$1"
}

hold "$cpu_lock"
expect 2 "$HARNESS" run suite.yaml --wait 0
says "$holder"
expect 2 "$HARNESS" run suite.yaml --wait 1ms
says "$holder"
expect 2 "$HARNESS" run suite.yaml --wait soon
names --wait

# A script is no device of this host.
expect 0 run

# The second run waits, and measures when the first is gone.
mkfifo said
"$HARNESS" run suite.yaml --quiet --store waited.db >/dev/null 2>said 9>&- &
waiting=$!
exec 8<said
# The first line may be about a busy host.
while read -r line <&8 && [[ $line == *"unfit to measure"* ]]; do :; done
[[ $line == *"$holder"* ]] || problem "it does not say who it waits for: $line"
exec 9>&-
wait $waiting || problem "the run that waited failed"
exec 8<&-
grep -q demo "$cpu_lock" || problem "a run does not say that it holds the device"

# Asked for, a scripted device is locked too, each script for itself.
rm "$cpu_lock"
expect 0 run --wait 0
script_locks=("$work"/harness-*.lock)
[ -f "${script_locks[*]}" ] || problem "not one lock of a script: ${script_locks[*]}"
hold "${script_locks[0]}"
expect 2 run --wait 0
names 4711
expect 0 run
cp speed.json other.json
expect 0 "$HARNESS" run suite.yaml --device scripted:other.json --wait 0
exec 9>&-

# A folder that cannot be used is an error that names the variable.
HARNESS_LOCK_DIR=$work/none expect 2 "$HARNESS" run suite.yaml
names HARNESS_LOCK_DIR
finish
