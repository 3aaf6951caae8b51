#!/usr/bin/env bash
# A campaign with a sixth of the time of its suite finds the cases that became slower, and names what it left out. Time and
# digests are scripted, so that far less than the budget passes here. HARNESS_FARM_CASES=1000 makes it a suite of 20 hours,
# with ten slower cases and a budget of 200 min.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
cases=${HARNESS_FARM_CASES:-60}
slower=$((cases >= 1000 ? 10 : 3))

# A case takes 70 s of its device. Seven of ten are proven, one has other code, and nobody can read two.
# scripts BUILD: of the cases with other code, `slower` are 3 % slower in the build "new".
scripts() {
  python3 -S - "$1" "$cases" "$slower" >speed.json <<'PY'
import json, sys
build, cases, slower = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def case(i):
    kind = i % 10
    identity = {"digest": "same"} if kind < 7 else {"digest": build} if kind == 7 else {"gap": "a library is unknown"}
    slow = build == "new" and i % (cases // slower // 10 * 10) == 7
    return {"match": f"twice/right/n={32 + i}", "us": 103 if slow else 100, "process_sd": 0.003, "sample_sd": 0.01,
            "overhead_us": 210000, "identity": identity}
print(json.dumps({"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [case(i) for i in range(cases)]}))
PY
}
repository
suite right
sed -i "s/n: \[64\]/n: [$(seq -s ', ' 32 $((31 + cases)))]/; s/timeout: 5s/max_time: 60s, timeout: 300s/" suite.yaml
scripts old
commit "fast"
expect 0 run --store farm.db
git checkout -qb change
scripts new
commit "some are slower"
seconds=$((cases * 12))
budget=${seconds}s
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json --budget $budget
left=$(grep -c '^left out: ' "$printed")
[ "$left" -gt 0 ] || problem "nothing was left out"
expect 0 "$HARNESS" farm work --store farm.db --quiet
expect 1 "$HARNESS" farm judge --store farm.db --report json=farm.json
expect 0 "$HARNESS" farm status --store farm.db --report json=status.json
python3 -S - farm.json status.json "$cases" "$slower" "$left" "$seconds" <<'PY' || problem "not found, or found falsely"
import json, sys
report, status = (json.load(open(file)) for file in sys.argv[1:3])
cases, slower, left, seconds = map(int, sys.argv[3:])
rows = {row["case"]: row for row in report["cases"]}
red = {name for name, row in rows.items() if row["verdict"] == "regressed"}
planted = {f"twice/right/n={32 + i}" for i in range(cases) if i % (cases // slower // 10 * 10) == 7}
skipped = [row for row in rows.values() if row["reason_fact"]["code"] == "left_out"]
print(f"{len(red & planted)} of {len(planted)} found, {len(red - planted)} falsely; {len(skipped)} of {cases} cases left out; "
      f"{status['device_time']:.0f} s of {seconds} s used")
assert len(planted) >= slower and not red - planted and len(red & planted) >= 0.9 * len(planted), (red, planted)
assert len(skipped) == left and len(rows) == cases
assert status["device_time"] <= seconds
PY

# When the time of the campaign is over, elements take nothing more, and what is not done is left out.
expect 0 "$HARNESS" farm plan suite.yaml --store farm.db --against main --device scripted:speed.json --budget 10ms --elements 100000 \
  --filter '*=4?' --block 1 --measure all
silent_about 'left out'
expect 0 "$HARNESS" farm work --store farm.db --quiet
expect 3 "$HARNESS" farm judge --store farm.db --report json=farm.json
holds farm.json 'len(report["cases"]) == '$cases \
  '50 < sum(row["reason_fact"]["code"] == "left_out" for row in report["cases"]) < '$cases
expect 0 "$HARNESS" farm judge --store farm.db --allow left-out --report json=farm.json
holds farm.json '0 < sum(row["verdict"] == "skipped" for row in report["cases"]) < 10' 'len(report["cases"]) == 10'

# A task that an element has at hand by then is waited for. The others are left out.
suite right also_right held slow
sed -i 's/timeout: 5s/timeout: 300s/' suite.yaml
speeds 100
commit "another suite"
expect 0 "$HARNESS" farm plan suite.yaml --store held.db --device scripted:speed.json --budget 1h --block 1
hold
"$HARNESS" farm work --store held.db --quiet >held.log 2>&1 &
element=$!
eventually are_held 1
python3 -c 'import sqlite3; sqlite3.connect("held.db", isolation_level=None).execute("UPDATE tasks SET began = began - 3600 WHERE began > 0")'
expect 4 "$HARNESS" farm judge --store held.db
let_go
wait $element || problem "the element failed: $(cat held.log)"
expect 0 "$HARNESS" farm judge --store held.db --report json=farm.json
holds farm.json 'row("twice/held")["outcome"] == "measured"' 'row("twice/slow")["outcome"] == "skipped"'
finish
