#!/usr/bin/env bash
# A store that is away is waited for, and has an exit status of its own; one that refuses is not waited for.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/postgres_lib.sh
. "$tests/cli/postgres_lib.sh"

make_server
port=$(free_port)
settings="-c listen_addresses=127.0.0.1 -c port=$port -c log_connections=on"
start_server "$settings"
owner="postgresql://harness@/postgres?host=$server&port=$port"
printf 'local all harness trust\nhost all all 127.0.0.1/32 scram-sha-256\n' >hba.conf
cat hba.conf >"$server/data/pg_hba.conf"
sql "create role ci login password 'right'; select pg_reload_conf()" || problem "no role"
url="postgresql://ci@127.0.0.1:$port/postgres"

repository
suite right
speeds 100
commit "fast"
expect 0 "$HARNESS" farm plan suite.yaml --store "$owner" --device scripted:speed.json

# Refused: once, at once, whoever asks. Ten minutes of patience would end the test.
logins() { grep -c 'connection received: host=127.0.0.1' "$server/log"; }
for command in work status judge list; do
  before=$(logins)
  expect 2 env PGPASSWORD=wrong "$HARNESS" farm $command --store "$url"
  names PGPASSFILE
  [ $(($(logins) - before)) -le 2 ] || problem "$(($(logins) - before)) connections of farm $command with a wrong password"
done
expect 2 env -u PGPASSWORD PGPASSFILE=/dev/null "$HARNESS" farm work --store "$url"
expect 2 env PGPASSWORD=right "$HARNESS" farm work --store "$url?sslmode=require"
expect 2 env PGPASSWORD=right "$HARNESS" farm work --store "postgresql://ci@127.0.0.1:$port/nowhere"
expect 2 env PGPASSWORD=right "$HARNESS" farm work --store "$url"  # the role may read nothing
names roles.sql

# Away: 75, at once where nobody waits, and behind the patience of an element.
stop_server
for command in "farm status" "farm judge" "records list" "farm work --patience 0s"; do
  # shellcheck disable=SC2086
  expect 75 env PGPASSWORD=right "$HARNESS" $command --store "$url"
done
# An element waits for a server that starts later.
"$HARNESS" farm work --store "$owner" --quiet >work.log 2>&1 &
waits() { grep -q "waiting for the store" work.log; }
eventually waits
start_server "$settings"
wait $! || problem "the element: $(cat work.log)"
same "how often it said so" "$(grep -c "waiting for the store" work.log)" 1
expect 0 "$HARNESS" farm judge --store "$owner"
finish
