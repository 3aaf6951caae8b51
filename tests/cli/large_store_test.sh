#!/usr/bin/env bash
# A small store, filled by tests/perf/fill_store.py: the history of a case, and the page of all of them. Figures of 10^6
# results: measured/store.md.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

fill() { expect 0 python3 "$tests/perf/fill_store.py" "$HARNESS" "$1" "$2" --commits 40 --cases 208 --processes 3 --samples 4; }
# check STORE: from within the repository.
check() {
  failures=0
  expect 0 "$HARNESS" history '*/m=00107' --store "$1" --format json
  holds "$printed" 'len(report["series"]) == 1' 'len(report["series"][0]["points"]) == 40' \
    '[change["index"] for change in report["series"][0]["changes"]] == [23]'
  expect 0 "$HARNESS" history '*/m=0000?' --store "$1" --format json
  holds "$printed" 'len(report["series"]) == 10'
  expect 2 "$HARNESS" history 'no/such?case' --store "$1"
  names 'no/such?case'
  [[ $("$HARNESS" report none.json --report html=page 2>&1) != *"no HTML page"* ]] || return 0
  expect 0 "$HARNESS" history --html history.html --store "$1"
  # Three cases by one cause are together; another case by another cause is not with them.
  python3 - history.html <<'PY' || problem "the page does not hold what was planted"
import base64, json, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
packed = re.search(r'application/octet-stream">([^<]*)<', page)[1].strip().split(".")[:-1]
head, *blocks = [json.loads(zlib.decompress(base64.b64decode(one), -15)) for one in packed]
assert len(head["rows"]) == 208 and sum(map(len, blocks)) == 208, packed[0]
assert all(len(one["verdicts"]) == 40 and one["verdicts"][30] == "unchanged" for block in blocks for one in block)
case = lambda member: head["rows"][member[0]]["case"].split("m=")[1]
found = [(head["commits"][cause["members"][0][1]][2].split(":")[0], sorted(map(case, cause["members"])))
         for cause in head["causes"]]
assert found == [("Change 24", ["00007", "00107", "00207"]), ("Change 13", ["00013"])], found
PY
}

fill "$PWD/large.db" repository
(cd repository && check ../large.db && exit "$failures") || problem "SQLite"
cd repository || exit 1
expect 1 "$HARNESS" history --report json=history.json --store ../large.db --fail-on change
# Slips, the first of them what older versions took.
expect 2 "$HARNESS" history --html site/ --store ../large.db
names --html site.html
expect 2 "$HARNESS" history --commit-url 'https://git.example.org/' --store ../large.db
names --commit-url '{commit}'
expect 2 "$HARNESS" history --record-url 'javascript:{record}' --store ../large.db
cd ..

# shellcheck source=tests/cli/postgres_lib.sh
. "$tests/cli/postgres_lib.sh"
make_server
start_server "-c listen_addresses="
fill "$owner" repository2
(cd repository2 && check "$owner" && exit "$failures") || problem "PostgreSQL"
finish
