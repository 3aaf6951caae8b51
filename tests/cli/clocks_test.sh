#!/usr/bin/env bash
# --lock-clocks is undone however a run ends, and what could not be undone is found: against a stand-in for the
# driver's library, which logs what is done to clocks.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export COLUMNS=300  # sentences in one line
repository
suite right
speeds 100
commit "something to measure"
sed 's/name: demo/name: endless/; s/\[right\]/[hangs]/; s/timeout: 5s/timeout: 100s/' suite.yaml >endless.yaml
export HARNESS_LOCK_DIR=$work/locks HARNESS_NVML=$FAKE_NVML_LIBRARY FAKE_NVML=$work/nvml FAKE_NVML_LOG=$work/log
mkdir locks
printf 'uuid GPU-A\nmax_clock_1 1980\n' >nvml

# logged LINE...: the driver was asked exactly this since the last time.
logged() {
  local wanted
  wanted=$(printf '%s\n' "$@")
  [ "$(cat log 2>/dev/null)" = "$wanted" ] || problem "the driver was asked: $(tr '\n' ';' <log), not: $*"
  rm -f log
}
# until_logged LINE: waits for it; a bound, not a timing.
until_logged() {
  eventually grep -qxs "$1" log
}
no_lock_on_record() { [ -z "$(ls locks/*.clocks 2>/dev/null)" ]; }
nothing_left() { eventually no_lock_on_record; }

# Without being asked, nobody touches a clock.
expect 0 run --output free.json
[ -e log ] && problem "a clock was touched without --lock-clocks"

# A run that ends, and what its record says.
expect 0 run --lock-clocks=1485 --output locked.json
silent_about --unlock-clocks  # it does not doubt that the clock is free again
logged "lock GPU-A 1485 1485" "reset GPU-A"
nothing_left
python3 - <<'PY' || problem "the fingerprint does not tell of the lock"
import json
fields = lambda file: {f["name"]: f for f in json.load(open(file))["machines"]["cpu"]["fields"]}
assert fields("locked.json")["clock_lock"]["value"] == "1485 MHz"
assert fields("locked.json")["clock_lock"]["kind"] == "block"
assert "clock_lock" not in fields("free.json")
PY
expect 4 "$HARNESS" compare --baseline free.json --current locked.json
names clock_lock 1485
expect 0 run --lock-clocks
logged "lock GPU-A 1485 1485" "reset GPU-A"
expect 0 "$HARNESS" calibrate suite.yaml --device scripted:speed.json --runs 1 --processes 3 --lock-clocks=900
logged "lock GPU-A 900 900" "reset GPU-A"

# An impossible lock is refused before anything is measured.
expect 2 run --lock-clocks=fast
names fast
expect 2 run --lock-clocks=2500
names 2500 1980
expect 2 "$HARNESS" run suite.yaml --device cpu --lock-clocks
names --lock-clocks
printf 'uuid GPU-A\nmax_clock_1 1980\nlock_refused 4\n' >nvml
expect 2 run --lock-clocks
names root
printf 'uuid GPU-A\nmax_clock_1 1980\nlock_refused 3\n' >nvml
expect 2 run --lock-clocks
names --lock-clocks
printf 'uuid GPU-B\n' >nvml
expect 2 run --lock-clocks
names GPU-A
HARNESS_NVML=/no/such/library.so expect 2 run --lock-clocks
names NVML
printf 'uuid GPU-A\nmax_clock_1 1980\n' >nvml
[ -e log ] && problem "a clock was touched by a run that was refused"
nothing_left

# A run that fails after the clock is locked.
expect 4 run --lock-clocks --continue
logged "lock GPU-A 1485 1485" "reset GPU-A"

# Runs that are interrupted or killed. The guard is a process of its own, which undoes when they are gone.
start() {
  setsid "$HARNESS" run endless.yaml --device scripted:speed.json --store "$1.db" --quiet --lock-clocks=1200 \
    >"$1.log" 2>&1 &
  pid=$!
  until_logged "lock GPU-A 1200 1200"
  # A shell's background job ignores SIGINT until the run itself heeds it, which is before its first worker.
  eventually has_worker
}
for signal in INT TERM HUP KILL; do
  start $signal
  kill -$signal "$pid"
  wait "$pid"
  until_logged "reset GPU-A"
  logged "lock GPU-A 1200 1200" "reset GPU-A"
  nothing_left
done
# Impatience: two signals end the program at once.
start twice
kill -INT "$pid"
kill -INT "$pid" 2>/dev/null
wait "$pid"
until_logged "reset GPU-A"
rm -f log
nothing_left

# The guard itself heeds no signal that it can ignore; killed with the run, it leaves a lock behind.
start guard
guard=$(pgrep -P "$pid" -f clock-guard)
kill -INT "$guard" && kill -TERM "$guard" && kill -HUP "$guard"
[ "$(ps -o stat= -p "$guard" | cut -c1)" = S ] || problem "the guard is gone before its run"
expect 2 "$HARNESS" doctor --unlock-clocks
kill -KILL "$guard" "$pid"
wait "$pid"
logged "lock GPU-A 1200 1200"
[ -e locks/harness-GPU-A.clocks ] || problem "nothing tells of the lock that was left behind"
# The next run says so and records it; one that locks takes over and undoes.
expect 0 run --output left.json
names $pid GPU-A 1200 --unlock-clocks
grep -q '1200 MHz' left.json || problem "the record does not tell of the lock that was left behind"
[ -e log ] && problem "a lock was undone without being asked"
expect 0 run --lock-clocks=1300
logged "lock GPU-A 1300 1300" "reset GPU-A"
nothing_left
expect 0 run
silent_about --unlock-clocks

# And doctor undoes it when asked to, when it may.
start again
kill -KILL "$(pgrep -P "$pid" -f clock-guard)" "$pid"
wait "$pid"
rm log
printf 'uuid GPU-A\nreset_refused 4\n' >nvml
expect 2 "$HARNESS" doctor --unlock-clocks
names GPU-A
[ -e locks/harness-GPU-A.clocks ] || problem "the lock was forgotten though it is still there"
printf 'gpu\nuuid GPU-A\ngpu\nuuid GPU-B\n' >nvml
expect 0 "$HARNESS" doctor --unlock-clocks --device cuda:1
names cuda:1
[ -e locks/harness-GPU-A.clocks ] || problem "the lock of another GPU was undone"
expect 2 "$HARNESS" doctor --unlock-clocks --device cuda:2
names --device cuda:2
expect 2 "$HARNESS" doctor --unlock-clocks --device cpu
names cpu
[ -e log ] && problem "a clock was touched"
sed 's/GPU-A/GPU-B/' locks/harness-GPU-A.clocks >locks/harness-GPU-B.clocks
expect 0 "$HARNESS" doctor --unlock-clocks --device cuda:1
names GPU-B
silent_about "GPU-A"
logged "reset GPU-B"
printf 'uuid GPU-A\n' >nvml
expect 0 "$HARNESS" doctor --unlock-clocks
names GPU-A
logged "reset GPU-A"
nothing_left
expect 0 "$HARNESS" doctor --unlock-clocks
finish
