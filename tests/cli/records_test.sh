#!/usr/bin/env bash
# The records of a store: listed, named, removed. The store is at the top of the repository.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
echo '*.db*' >>.gitignore
suite right
speeds 100 && commit "one"
expect 4 "$HARNESS" records delete 00000000
expect 0 "$HARNESS" records list
names .harness/results.db
expect 0 run --save-as before
names @before .harness/results.db
speeds 104 && commit "two"
expect 0 run
expect 0 run --filter '*/right/*'

list() { "$HARNESS" records list --report json=list.json "$@"; }
id() { python3 -c 'import json,sys; print(json.load(open("list.json"))["records"][int(sys.argv[1])]["id"])' "$1"; }
count() { same "records" "$(python3 -c 'import json; print(len(json.load(open("list.json"))["records"]))')" "$1"; }
expect 0 list
names @before demo scripted
holds list.json 'report["format"] == "harness-records"' 'report["store"] == ".harness/results.db"' \
  '[one["names"] for one in report["records"]] == [[], [], ["before"]]' \
  '[one["partial"] for one in report["records"]] == [True, False, False]' \
  'all(one["state"] == "complete" and one["suite"] == "demo" for one in report["records"])'
expect 0 list --last 1
count 1
holds list.json 'report["more"] == 2'
expect 0 list --suite other
count 0
expect 0 list

# A name is a side, and its record can be shown.
expect 1 "$HARNESS" compare --baseline @before --report json=named.json
holds named.json '1.03 < row()["ratio"] < 1.05' 'report["baseline"]["found"]["name"] == "@before"'
expect 2 "$HARNESS" compare --baseline @befor
names --baseline @before
expect 2 "$HARNESS" compare --baseline @nothing --suite demo
expect 1 run --against @before
expect 2 run --against @nothing
names --against @nothing
expect 2 run --save-as 'two words'
names --save-as
expect 0 "$HARNESS" records show @before
names twice/right
expect 2 "$HARNESS" records show @befor

# A name goes to the newest record that gets it.
expect 0 list
holds list.json 'len(report["records"]) == 4'
expect 0 run --save-as before
expect 0 list
holds list.json '[i for i, one in enumerate(report["records"]) if one["names"]] == [0]'

# A case that failed is nothing to compare with.
suite right wrong
expect 5 "$HARNESS" run suite.yaml --device cpu --save-as broken --store failed.db
expect 0 list --store failed.db
holds list.json 'report["records"][0]["names"] == []' 'report["records"][0]["failures"] > 0'
git checkout -q suite.yaml

# Deleting is for good, and all or nothing.
expect 0 list
first=$(id 1) second=$(id 2)
expect 2 "$HARNESS" records delete "$first" ffffffff-0000-4000-8000-000000000000
expect 2 "$HARNESS" records delete main
names records
expect 0 "$HARNESS" records delete "$first" --dry-run
names "$first"
expect 0 list
count 5
expect 0 "$HARNESS" records delete "${first:0:8}" "$second"
names "$first" "$second"
expect 0 list
count 3
silent_about "$first"

# Names are spared.
expect 2 "$HARNESS" records prune
names --keep --before
expect 2 "$HARNESS" records prune --before yesterday
expect 0 "$HARNESS" records prune --before 2000-01-01
expect 0 list
count 3
expect 0 "$HARNESS" records prune --keep 0 --suite other
expect 0 list
count 3
expect 0 "$HARNESS" records prune --keep 1 --dry-run
expect 0 "$HARNESS" records prune --keep 0
expect 0 list
count 1
holds list.json 'report["records"][0]["names"] == ["before"]'
expect 0 "$HARNESS" records delete @before
expect 0 list
count 0

# From a folder below, it is the same store.
mkdir -p deep/er
expect 0 run
cd deep/er || exit 1
expect 0 "$HARNESS" records list --report json=list.json
names ../../.harness/results.db
count 1
expect 0 "$HARNESS" run ../../suite.yaml --device scripted:../../speed.json
absent .harness
expect 4 "$HARNESS" report HEAD~1
names ../../.harness/results.db
finish
