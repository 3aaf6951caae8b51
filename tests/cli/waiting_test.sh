#!/usr/bin/env bash
# A program that waited for a CPU is not called worse, by what a scripted /proc tells: other guests of the machine took the
# CPUs, or a quota held threads back. On a quiet host the same waiting is a regression. Each start is watched, however
# short it is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
speeds 100
# Each start adds to the counters what the files say, and sleeps: its own CPU time stays the same.
cat >work.sh <<'SH'
add() { echo $(($(cat "$1") + $(cat "each_$1"))) >"$1"; }
add ticks
add held
printf 'cpu 0 0 0 0 0 0 0 %s\nprocs_running 1\n' "$(cat ticks)" >root/proc/stat
printf 'throttled_usec %s\n' "$(cat held)" >root/sys/fs/cgroup/box/cpu.stat
sleep "$(cat seconds)"
SH
cat >suite.yaml <<'YAML'
version: 2
name: waiting
programs:
  - {name: work, command: [sh, work.sh], sampling: {processes: 5}, gate: {margin: 5%}}
YAML
printf '%s\n' '*.json' root/ ticks held 'each_*' seconds >>.gitignore
commit "first"
mkdir -p root/proc/self root/sys/fs/cgroup/box
echo "0::/box" >root/proc/self/cgroup
export HARNESS_SYSTEM_ROOT=$work/root
# starts TICKS MICROSECONDS SECONDS: what each start adds to the stolen and to the held time, and how long it sleeps.
starts() {
  echo 0 | tee ticks >held
  echo "cpu 0 0 0 0 0 0 0 0" >root/proc/stat
  echo "throttled_usec 0" >root/sys/fs/cgroup/box/cpu.stat
  echo "$1" >each_ticks
  echo "$2" >each_held
  echo "$3" >seconds
}
run() { "$HARNESS" run suite.yaml --device scripted:speed.json --no-confirm --looks 1 "$@"; }
# loads NAME FIGURE: the figure of each start in a record.
loads() {
  python3 - "$@" <<'PY'
import json, sys
case = json.load(open(sys.argv[1]))["cases"][0]
wall = next(series for series in case["metrics"] if series["metric"] == "wall_time")
print(*("%.2f" % one["placements"][0]["conditions"]["load"][sys.argv[2]] if sys.argv[2] in one["placements"][0]["conditions"]["load"]
        else "0.00" for one in wall["processes"]))
PY
}
starts 0 0 0
expect 0 run --output quiet.json
same "stolen time of short starts" "$(loads quiet.json stolen)" "0.00 0.00 0.00 0.00 0.00"

reason='row("work", "wall_time")["reason_fact"]["code"]'
starts 0 0 0.7
expect 1 run --against quiet.json --report json=slept.json
holds slept.json 'row("work", "wall_time")["verdict"] == "regressed"'
starts 35 0 0.7
expect 3 run --against quiet.json --report json=stolen.json --output stolen_record.json
holds stolen.json "$reason == 'waited'"
[[ "$(loads stolen_record.json stolen)" != *0.00* ]] || problem "the stolen time was not seen: $(loads stolen_record.json stolen)"
starts 0 300000 0.7
expect 3 run --against quiet.json --report json=held.json
holds held.json "$reason == 'waited'"
names quota
finish
