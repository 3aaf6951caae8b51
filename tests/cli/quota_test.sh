#!/usr/bin/env bash
# A program that a real quota of a control group holds back is not called worse. Without the rights to make a group there
# is nothing to test.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# quota: a group that gets a twentieth of a CPU, by either version of control groups.
group=/sys/fs/cgroup/harness_quota_test_$$
if [ -f /sys/fs/cgroup/cgroup.controllers ] && mkdir "$group" 2>/dev/null; then
  echo "5000 100000" >"$group/cpu.max" 2>/dev/null
elif group=/sys/fs/cgroup/cpu/harness_quota_test_$$ && mkdir "$group" 2>/dev/null; then
  echo 5000 >"$group/cpu.cfs_quota_us" 2>/dev/null
else
  echo "skipped: no rights to make a control group"
  exit 0
fi
trap 'rmdir "$group" 2>/dev/null; rm -rf "$scratch"' EXIT
if ! (echo "$BASHPID" >"$group/cgroup.procs") 2>/dev/null || ! [ -r "$group/cpu.stat" ]; then
  echo "skipped: the group takes no process, or no quota"
  exit 0
fi

repository
speeds 100
cat >suite.yaml <<'YAML'
version: 2
name: held
programs:
  - {name: busy, command: [sh, -c, "i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done"], gate: {margin: 5%}}
YAML
commit "first"
run() { "$HARNESS" run suite.yaml --device scripted:speed.json --no-confirm "$@"; }
expect 0 run --output free.json
# The program and all that it starts are in the group.
# shellcheck disable=SC2016  # the inner shell's
expect "0 3" bash -c 'echo "$BASHPID" >"$1/cgroup.procs"; shift; exec "$@"' held "$group" \
  "$HARNESS" run suite.yaml --device scripted:speed.json --no-confirm --against free.json --output held.json --report json=verdict.json
python3 - <<'PY' || problem "the quota was not seen"
import json
def held(name):
    case = json.load(open(name))["cases"][0]
    wall = next(series for series in case["metrics"] if series["metric"] == "wall_time")
    return [one["placements"][0]["conditions"]["load"].get("held", 0) for one in wall["processes"]]
assert max(held("free.json")) < 0.01, held("free.json")
assert min(held("held.json")) > 0.1, held("held.json")
PY
# On a host with much other load the free program waits as long, and nothing grew.
holds verdict.json 'row("busy", "wall_time")["verdict"] != "regressed"' \
  'row("busy", "wall_time")["ratio"] < 3 or row("busy", "wall_time")["reason_fact"]["code"] in ("waited", "undecided")'
finish
