#!/usr/bin/env bash
# A campaign in a PostgreSQL server that goes away: what is measured meanwhile lies in a journal, also when the element is
# killed, and each result is stored once.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2012  # names of Debian's folders
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$programs" ]; then
  [ -z "${HARNESS_REQUIRE_POSTGRES:-}" ] || problem "HARNESS_REQUIRE_POSTGRES is set, and no server is installed"
  echo "skipped: no PostgreSQL server is installed (package postgresql)"
  finish
fi
server=$scratch/server
mkdir "$server"
as_server() { (cd "$server" && LC_ALL=C "${unprivileged[@]}" "$@"); }
unprivileged=()
if [ "$(id -u)" -eq 0 ]; then  # PostgreSQL refuses to run as root
  unprivileged=(runuser -u nobody --)
  chown nobody "$server"
  chmod 711 "$scratch"
fi
start_server() {
  as_server "$programs/pg_ctl" --wait --pgdata="$server/data" --log="$server/log" \
    --options="-c listen_addresses= -c fsync=off -k $server" start >"$printed" 2>&1 || problem "the server does not start"
}
stop_server() { as_server "$programs/pg_ctl" --pgdata="$server/data" --mode=immediate stop >"$printed" 2>&1; }
trap 'stop_server; rm -rf "$scratch"' EXIT
as_server "$programs/initdb" --no-sync --auth=trust --username=harness --encoding=UTF8 --locale=C --pgdata="$server/data" \
  >"$printed" 2>&1 || problem "no server could be made"
start_server
url="postgresql://harness@/postgres?host=$server"

repository
suite right also_right held slow
sed -i 's/n: \[64\]/n: [32, 64]/; s/timeout: 5s/timeout: 300s/' suite.yaml
speeds 100
commit "fast"
expect 0 run --store "$url"
expect 0 run --store base.db
git checkout -qb change
speeds 103
commit "slower"
expect 1 run --against main --store base.db --measure all --no-confirm --looks 1 --report json=run.json
farm() { "$HARNESS" farm "$@" --store "$url"; }
results_of() { psql -qAt -h "$server" -U harness postgres -c "select $1 from harness.tasks"; }
rows() { psql -qAt -h "$server" -U harness postgres -c "select count(*) from harness.results where run <> (select id from harness.runs where state = 'complete')"; }
in_journal() { compgen -G 'journal/harness-farm-*.jsonl' >/dev/null; }

expect 0 farm plan suite.yaml --against main --device scripted:speed.json --block 1 --lease 2s --looks 1 --no-confirm
hold
# The server goes away while an element measures; the element is killed; the server comes back.
"$HARNESS" farm work --store "$url" --quiet --journal journal >first.log 2>&1 &
first=$!
eventually are_held 1
stop_server
let_go
eventually in_journal
kill -KILL $first
wait $first 2>/dev/null
start_server
before=$(rows)
# Another one with the same journal sends what the killed one measured, and two more measure beside it. Meanwhile the server
# is away twice.
for element in 1 2 3; do
  "$HARNESS" farm work --store "$url" --quiet --journal "$([ $element = 1 ] && echo journal || echo journal$element)" >element$element.log 2>&1 &
  elements[element]=$!
done
for _ in 1 2; do
  sleep 0.3
  stop_server
  sleep 0.3
  start_server
done
for element in 1 2 3; do
  wait "${elements[$element]}" || problem "element $element: $(cat element$element.log)"
done
[ "$before" -lt 40 ] || problem "nothing was left to measure"
! in_journal || problem "the journal was not sent"
same "rows" "$(rows)" 40
same "tasks that are done" "$(results_of 'sum(done)')" 8
eventually has_checked "$url"
expect 1 farm judge --report json=farm.json
python3 - <<'PY' || problem "the verdicts differ"
import json
one, other = (json.load(open(file)) for file in ("run.json", "farm.json"))
keep = ("case", "metric", "verdict", "ratio", "interval", "p", "p_adjusted", "processes")
assert [[row.get(k) for k in keep] for row in one["cases"]] == [[row.get(k) for k in keep] for row in other["cases"]]
PY
# An element is told at its begin that its journal cannot be written. It keeps the task in memory until the server is back.
expect 0 farm plan suite.yaml --device scripted:speed.json --block 1 --lease 2s
hold
"$HARNESS" farm work --store "$url" --quiet --journal /proc/none >memory.log 2>&1 &
eventually are_held 1
grep -q "^warning: .*/proc/none" memory.log || problem "nothing is told at the begin: $(cat memory.log)"
stop_server
let_go
is_kept() { grep -q "cannot take task .* memory" memory.log; }
eventually is_kept
start_server
wait $! || problem "the element: $(cat memory.log)"
expect 0 farm status --report json=status.json
holds status.json 'report["done"] == report["tasks"]' 'report["stored"] == report["results"]' 'report.get("again", 0) == 0'

# A damaged file of the journal is set aside and named, and the element measures. A whole one beside it is sent.
expect 0 farm plan suite.yaml --device scripted:speed.json --block 1 --lease 1h
id=$(sed -n 's/^campaign \([^:]*\):.*/\1/p' "$printed")
hold
"$HARNESS" farm work --store "$url" --quiet --journal journal >kept.log 2>&1 &
kept=$!
eventually are_held 1
stop_server
let_go
eventually in_journal
kill -KILL $kept
wait $kept 2>/dev/null
start_server
whole=$(compgen -G 'journal/harness-farm-*.jsonl')
damaged=journal/harness-farm-$id-99.jsonl
head -c 300 "$whole" >"$damaged"
expect 0 farm work --quiet --journal journal
names "$damaged.damaged"
absent "$damaged" "$whole"
[ -s "$damaged.damaged" ] || problem "the damaged file is gone"
expect 0 farm status --report json=status.json
holds status.json 'report["done"] == report["tasks"]' 'report["stored"] == report["results"]'
finish
