#!/usr/bin/env bash
# A small store, filled by tests/perf/fill_store.py: the history of a case, and the site of all of them. Figures of 10^6
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
  expect 0 "$HARNESS" history --html site --store "$1"
  same "pages of cases" "$(find site/cases -name '*.html' | wc -l)" 208
  # Three cases by one cause are one row; another case by another cause is another.
  python3 - site/index.html <<'PY' || problem "the clusters are not the planted ones"
import re, sys
rows = re.findall(r'<tr class="cluster">(.*?)</tr>', open(sys.argv[1], encoding="utf-8").read(), re.S)
found = [(re.search(r"Change (\d+):", row)[1], sorted(set(re.findall(r">[^<]*m=(\d+)<", row)))) for row in rows]
assert found == [("24", ["00007", "00107", "00207"]), ("13", ["00013"])], found
PY
}

fill "$PWD/large.db" repository
(cd repository && check ../large.db && exit "$failures") || problem "SQLite"
cd repository || exit 1
expect 1 "$HARNESS" history --html other --store ../large.db --fail-on change
# Slips.
expect 2 "$HARNESS" history --html other --report json=x.json --store ../large.db
expect 2 "$HARNESS" history --html other --commit-url 'https://git.example.org/' --store ../large.db
names --commit-url '{commit}'
expect 2 "$HARNESS" history --html other --record-url 'javascript:{record}' --store ../large.db
cd ..

# shellcheck source=tests/cli/postgres_lib.sh
. "$tests/cli/postgres_lib.sh"
make_server
start_server "-c listen_addresses="
fill "$owner" repository2
(cd repository2 && check "$owner" && exit "$failures") || problem "PostgreSQL"
finish
