#!/usr/bin/env bash
# Stores of every older version of the schema: kept as SQL in tests/data/stores, opened, brought up to date, and read back
# whole. The stores of version 5 were written by the program of that time; the others are it without what came later.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

records=$(grep -o "^INSERT INTO runs VALUES('[^']*'" "$data/stores/version5.sql" | cut -d"'" -f2)
same "records" "$(wc -l <<<"$records")" 5

# whole URL FOLDER : every record of the store as JSON.
whole() {
  mkdir "$2"
  local id
  for id in $records; do
    "$HARNESS" records show "$id" --store "$1" --format json >"$2/$id.json" 2>"$2/$id.err" || problem "$1: no $id: $(cat "$2/$id.err")"
  done
}

# sqlite FILE TEXT : SQL in a SQLite file.
sqlite() {
  python3 - "$1" "$2" <<'PY'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    print(*(row[0] for row in database.execute(sys.argv[2])))
PY
}

# The figures of a migrated store.
query="select version from harness_schema union all select count(*) from process_values union all select count(*) from results
  union all select sum(measured) from cases union all select count(*) from result_values union all select count(*) from case_states"
wanted="10 20 20 20 20 10"

for version in 1 2 3 4 5; do
  python3 - "$data/stores/version$version.sql" $version.db <<'PY'
import sqlite3, sys
sqlite3.connect(sys.argv[2]).executescript(open(sys.argv[1]).read())
PY

  whole $version.db sqlite-$version
  same "SQLite, version $version" "$(sqlite $version.db "$query")" "$wanted"
  diff -r sqlite-1 sqlite-$version >"$printed" || problem "records of version $version are not those of version 1"
done
holds "sqlite-3/$(head -n 1 <<<"$records").json" 'len(report["cases"]) == 2'

# Later versions keep what came with a version.
for version in 4 5; do
  expect 0 "$HARNESS" records list --store $version.db --format json
  holds "$printed" 'any("release" in one["names"] for one in report["records"])'
done

# A store that is newer than the program.
cp 5.db newer.db
sqlite newer.db "update harness_schema set version = 99"
cp newer.db before.db
expect 2 "$HARNESS" records list --store newer.db
names 99 --store newer.db
cmp -s newer.db before.db || problem "a newer store was written to"

# shellcheck source=tests/cli/postgres_lib.sh
. "$tests/cli/postgres_lib.sh"
make_server
start_server "-c listen_addresses="
for version in 1 2 3 4 5; do
  { echo "DROP SCHEMA IF EXISTS harness CASCADE; CREATE SCHEMA harness; SET search_path = harness;"
    cat "$data/stores/version$version.sql"
  } | psql -qX -v ON_ERROR_STOP=1 "$owner" >"$printed" 2>&1 || problem "version $version could not be loaded"
  whole "$owner" postgresql-$version
  same "PostgreSQL, version $version" "$(sql "set search_path = harness; $query" | xargs)" "$wanted"
  diff -r sqlite-1 postgresql-$version >"$printed" || problem "PostgreSQL: records of version $version differ"
done
finish
