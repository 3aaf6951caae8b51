#!/usr/bin/env bash
# The choice of the records that judge others. No regression becomes a baseline because it was measured twice, its run was killed,
# or nobody judged it; and no small record does.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
mkdir out
printf '%s\n' out/ '*.db*' >>.gitignore
suite right
speeds 100
commit "fast"

# forget_verdicts: as if the runs had been killed before their verdict was stored.
sql() { python3 -c 'import sqlite3,sys; db = sqlite3.connect(sys.argv[1]); print(*(row[0] for row in db.execute(sys.argv[2])), sep="\n"); db.commit()' "$@"; }
forget_verdicts() {
  sql .harness/results.db "update runs set verdict = ''" >/dev/null
  sql .harness/results.db "update cases set verdict = ''" >/dev/null
}
next() { echo "# more" >>note && commit "$1"; }

# On the branch itself the first run has nothing to be compared with, and a second one is compared with it.
expect 0 run --against main
expect 0 run --against main --report json=out/second.json
holds out/second.json 'row()["processes"] == [5, 5]' 'report["baseline"]["distance"] == 0'

# A regression that is measured again without a judgement judges nobody.
speeds 104 && commit "slower"
expect 1 run --against main
expect 0 run
next "nothing changed"
expect 1 run --against main --report json=out/after.json
holds out/after.json 'row()["ratio"] > 1.03' 'report["baseline"]["distance"] == 2'

# ... nor when every run was killed before its verdict was stored.
forget_verdicts
next "nothing changed again"
expect 1 run --against main --report json=out/killed.json
holds out/killed.json 'row()["ratio"] > 1.03'

# A branch that never judges: its first record serves, and each later one is judged when it is needed.
git checkout -qb plain
plain() { run --store plain.db "$@"; }
speeds 100 && commit "plain 1"
expect 0 plain
speeds 98 && commit "plain 2, faster"
expect 0 plain
next "plain 3"
expect 0 plain --against plain --report json=out/third.json
holds out/third.json '0.999 < row()["ratio"] < 1.001' 'report["baseline"]["distance"] == 1'
speeds 104 && commit "plain 4, slower"
expect 0 plain
next "plain 5"
expect 1 plain --against plain --report json=out/fifth.json
holds out/fifth.json 'row()["ratio"] > 1.05' 'report["baseline"]["found"]["passed_over"] == 1'

# By case: what regressed keeps its old baseline, the other cases get the new one.
git checkout -qb cases main && suite right also_right && speeds 100
cat >two.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*/right/*", "us": 104, "process_sd": 0.001, "sample_sd": 0.01},
 {"match": "*", "us": 90, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
store=cases.db script=speed
cases() { "$HARNESS" run suite.yaml --store "$store" --device "scripted:$script.json" "$@"; }
commit "two cases"
script=speed expect 0 cases
next "one slower, one faster"
script=two expect 1 cases --against cases
next "nothing changed"
script=two expect 1 cases --against cases --report json=out/cases.json
holds out/cases.json '0.99 < row("also_right")["ratio"] < 1.01' 'row("/right/")["ratio"] > 1.03' \
  'row("/right/")["verdict"] == "regressed"'
# ... and a case that a filter left out of the nearest record comes from an older one.
git checkout -qb filtered && store=filtered.db
script=speed expect 0 cases
next "filtered"
script=speed expect 0 cases --filter '*/right/*'
next "after a filtered run"
script=speed expect 0 cases --against filtered --report json=out/filtered.json
holds out/filtered.json 'len(report["cases"]) == 2' 'all(row["processes"] == [5, 5] for row in report["cases"])'

# Fewer processes or samples than the suite asks for are no baseline.
git checkout -qb small && suite right && speeds 100 && commit "small"
expect 0 run --store small.db
next "one process"
expect 0 run --store small.db --processes 1 --samples 8
next "after it"
expect 0 run --store small.db --against small --report json=out/small.json
holds out/small.json 'row()["processes"] == [5, 5]' 'report["baseline"]["distance"] == 2' \
  'report["baseline"]["found"]["incomplete"] == 1'
expect 2 "$HARNESS" baseline promote --store small.db HEAD~1 --author tester --reason small
names --processes suite.yaml
expect 0 "$HARNESS" baseline promote --store small.db HEAD --author tester --reason few
names --processes 20
# The advice works.
expect 0 run --store small.db --processes 20
expect 0 "$HARNESS" baseline promote --store small.db HEAD --author tester --reason enough
silent_about warning
rm -r baselines

# A clock that was set back does not make an older record the newest.
speeds 104 && commit "slower, after the clock was set back"
expect 0 run --store clock.db --output out/older.json
expect 0 run --store clock.db --output out/newer.json
sql clock.db "update runs set started = '2099-01-01T00:00:00Z' where sequence = 1" >/dev/null
id=$(python3 -c 'import json; print(json.load(open("out/newer.json"))["id"])')
expect 0 "$HARNESS" compare --store clock.db --baseline out/older.json --current HEAD --report json=out/clock.json
holds out/clock.json "report['current']['id'] == '$id'"
finish
