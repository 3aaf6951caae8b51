#!/usr/bin/env bash
# A change must not let itself pass by what it brings along: deleted cases, looser gates, its own waivers, names that do not
# exist, cases that cannot run, reports of yesterday, a stale program.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
printf '*.json\n!speed.json\nv.*\n' >>.gitignore
last=$(date -u -d "+30 days" +%F)

# waiver CEILING [KEY...]: waivers.yaml with one waiver.
waiver() {
  local ceiling=$1
  shift
  cat >waivers.yaml <<YAML
version: 1
waivers:
  - {pattern: "twice/*", ceiling: $ceiling, expires: $last, reason: known${1:+, $1}}
YAML
}

# A filter hides no deleted case, whatever it lets through.
suite right also_right && speeds 100 && commit "two cases"
expect 0 run
git checkout -qb deleted && suite right && commit "one is gone"
expect 4 run --against main
for filter in '*' 'twice/*'; do
  expect 4 run --against main --filter "$filter" --report json=gone.json
done
holds gone.json 'row("twice/also_right/n=64")["verdict"] == "missing"'
expect 0 run --against main --filter '*/right/*'
silent_about also_right
git checkout -q main

# A name that does not exist is a slip, whatever is allowed to be missing.
expect 2 "$HARNESS" compare --baseline tpyo.json --current HEAD --allow missing
names tpyo.json
expect 2 run --against tpyo.json --allow missing
expect 2 "$HARNESS" compare --baseline 01234567-89ab-4cde-8f01-23456789abcd --current HEAD --allow missing
git checkout -q --orphan unrelated && commit "another history" && git checkout -q main
expect 2 run --against unrelated --allow missing

# The change loosens its gates in each way: the baseline's decide, and the report tells.
git checkout -qb loose && speeds 104
for gate in 'margin: 9%' 'metrics: {time: {informative: true}}' 'metrics: {time: {margin: 9%}}'; do
  git checkout -q main -- suite.yaml
  echo "    gate: {$gate}" >>suite.yaml && commit "slower, and $gate"
  expect 1 run --against main --report json=loose.json
  names --accept-proposed
  holds loose.json 'row("twice/right/n=64", "wall_time")["verdict"] == "regressed"' \
    'row("twice/right/n=64", "wall_time")["proposed"] is not None' 'report["policy"]["accept_proposed"] is False'
done
git reset -q --hard HEAD~1
expect 0 run --against main --accept-proposed --report json=accepted.json
holds accepted.json 'report["policy"]["accept_proposed"] is True' \
  'any(one["value"]["code"] == "proposed" and one["value"]["accepted"] == 1 for one in report["facts"]["policy"])'
names --accept-proposed
git checkout -q main
# ... a stricter one counts at once,
git checkout -qb strict && speeds 100.9
echo "    gate: {margin: 0.1%}" >>suite.yaml && commit "0.9 % slower, and stricter"
expect 1 run --against main
git checkout -q main
# ... and a new case has only its own.
git checkout -qb new && suite right also_right slow && speeds 100 && commit "a new case"
expect 0 run --against main --allow missing --filter '*/right/*' --filter '*/slow/*'
git checkout -q main

# Waivers: untracked, uncommitted and added by the change do not count; the baseline's do.
git checkout -qb own && speeds 104 && commit "slower"
waiver 6%
expect 1 run --against main --report json=own.json
holds own.json 'report["waivers"] == []'
names waivers.yaml
expect 1 run --against main --accept-proposed
commit "waives itself"
expect 1 run --against main --report json=own.json
holds own.json '[one["state"] for one in report["waivers"]] == ["proposed"]'
names --accept-proposed
expect 0 run --against main --accept-proposed --report json=own.json
holds own.json '[one["state"] for one in report["waivers"]] == ["holds"]' 'row("twice/right", "wall_time")["waiver"]["proposed"]'
git checkout -q main && waiver 6% && speeds 100 && commit "a waiver on main"
expect 0 run
git checkout -qb waived && speeds 104 && commit "slower"
expect 0 run --against main --report json=waived.json
holds waived.json "report['policy']['waivers_commit'] == '$(git rev-parse main)'" 'report["policy"]["waiver_trust"] == "baseline"' \
  'all(one["session_sd"] < 0.002 for one in report["policy"]["learned"])'  # slow runs of branches are no noise
# ... a later regression is not covered by a wider ceiling that comes with it, and a narrower one counts at once.
waiver 9% && speeds 108 && commit "slower, and wider"
expect 1 run --against main
expect 0 run --against main --accept-proposed
waiver 3% && speeds 104 && commit "narrower"
expect 1 run --against main
git checkout -q main

# A waiver may cover undecided results, too, up to its ceiling.
waiver 9% && commit "wider"
git checkout -qb noisy && speeds 101 0.03 && commit "noisy"
expect 3 run --against main --allow missing
git checkout -q main && waiver 9% "undecided: true" && commit "undecided, too"
git checkout -q noisy && git rebase -q main
expect 0 run --against main --report json=noisy.json
holds noisy.json 'row("twice/right", "wall_time")["verdict"] == "inconclusive"' \
  'row("twice/right", "wall_time")["waiver"]["undecided"]'
git checkout -q main && waiver 9% "undecided: maybe" && expect 2 run --against HEAD
names waivers.yaml:3
git checkout -q waivers.yaml

# Nothing can run here: no pass, with a baseline either.
gpu_suite
expect 4 "$HARNESS" run gpu.yaml --device cpu --against HEAD --allow missing
expect 0 "$HARNESS" run gpu.yaml --device cpu --against HEAD --allow missing,skipped
expect 2 "$HARNESS" run gpu.yaml --device cpu --allow skipped,missing
names --against

# A program that was not built from the commit that is checked out measures nothing under its name.
mkdir -p harness/sdk && echo "// mine" >harness/sdk/workload.h && commit "a harness of another commit"
expect 2 run
names stale
expect 0 run --allow stale
echo "// edited" >>harness/sdk/workload.h
expect 0 run
git reset -q --hard HEAD~1

# A killed run leaves no report of yesterday, a stale program.
reports=json=v.json,markdown=v.md,csv=v.csv,junit=v.xml,terminal=v.txt,github=v.gh
[[ $("$HARNESS" report none.json --report html=page 2>&1) == *"no HTML page"* ]] || reports+=,html=v.html
for file in v.json v.html v.md v.csv v.xml v.txt v.gh rec.json; do echo yesterday >$file; done
[[ $reports == *html* ]] || rm v.html
suite slow && sed -i 's/processes: 5/processes: 200/' suite.yaml
setsid "$HARNESS" run suite.yaml --report $reports --output rec.json >"$printed" 2>&1 &
pid=$!
eventually has_worker
eventually grep -qv yesterday rec.json
kill -KILL $pid
wait $pid 2>/dev/null
for file in v.* rec.json; do
  ! grep -q yesterday "$file" || problem "$file is yesterday's"
done
holds v.xml 'any(case.find("error") is not None for case in report.iter("testcase"))'
eventually has_no_worker
git checkout -q suite.yaml
expect 2 "$HARNESS" compare --baseline rec.json --current HEAD
# ... nor one that could not begin, nor a comparison.
echo yesterday >v.json
expect 2 run --against HEAD --baseline-nonsense --report json=v.json
expect 2 "$HARNESS" ab suite.yaml --baseline HEAD --build false --report json=v.json
holds v.json 'report["format"] == "harness-unfinished"' '"ab" in report["command"]'
finish
