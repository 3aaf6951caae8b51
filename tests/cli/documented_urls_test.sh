#!/usr/bin/env bash
# Every URL of a PostgreSQL store in the documents and examples opens a store, as it stands there: the server of this test
# has the databases and users of these names. libpq finds it by PGHOSTADDR, whatever host a URL names.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/postgres_lib.sh
. "$tests/cli/postgres_lib.sh"

make_server
port=$(free_port)
start_server "-c listen_addresses=127.0.0.1 -c port=$port"
owner="postgresql://harness@/postgres?host=$server&port=$port"
export PGHOSTADDR=127.0.0.1 PGPORT=$port

top=$tests/..
grep -rohE 'postgres(ql)?://[A-Za-z][^ `"|)?<>'"'"']*' "$top/README.md" "$top/manual" "$top/harness" "$top/ci" "$top/page" --include='*.md' --include='*.sh' \
  --include='*.yaml' --include='*.sql' | sed 's/[.,]*$//' | grep -E '://[A-Za-z]+@[A-Za-z]+/[A-Za-z]+$' | sort -u >urls.txt
[ "$(wc -l <urls.txt)" -ge 4 ] || problem "only $(wc -l <urls.txt) URLs are found"
# shellcheck disable=SC2013  # a name has no space
for name in $(sed -E 's|.*://([^@]*)@.*|\1|' urls.txt | sort -u); do
  [ "$name" = harness ] || sql "create role \"$name\" login superuser" || problem "no role $name"
done
# shellcheck disable=SC2013
for name in $(sed -E 's|.*/||' urls.txt | sort -u); do
  sql "create database \"$name\"" || problem "no database $name"
done
while IFS= read -r url; do
  expect 0 "$HARNESS" records list --store "$url"
  expect 4 "$HARNESS" farm status --store "$url"  # there is no campaign
  expect 0 psql -qAtX "$url" -c "select version from harness.harness_schema"
done <urls.txt
finish
