#!/usr/bin/env bash
# A store that a team shares: TLS, roles that may insert or promote, passwords that nobody else reads, the dashboard's
# queries, an export.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/postgres_lib.sh
. "$tests/cli/postgres_lib.sh"
share=$tests/../harness/store/postgresql
if ! command -v openssl >/dev/null; then
  echo "skipped: there is no openssl to make certificates"
  finish
fi

# certificate NAME SUBJECT : NAME.key and NAME.crt, signed by the authority.
certificate() {
  expect 0 openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$2"
  echo "subjectAltName=DNS:localhost" >names.cnf
  expect 0 openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out "$1.crt" -extfile names.cnf
  chmod 600 "$1.key"
}
for name in ca other; do
  openssl req -x509 -newkey rsa:2048 -nodes -keyout $name.key -out $name.crt -days 2 -subj "/CN=$name" >"$printed" 2>&1 ||
    problem "no authority could be made"
done
certificate server localhost
certificate robot robot

make_server
cp server.key server.crt ca.crt "$server/"
[ ${#unprivileged[@]} -eq 0 ] || chown nobody "$server"/server.* "$server/ca.crt"
cat >hba.conf <<'HBA'
local   all harness           trust
hostssl all robot   127.0.0.1/32 cert
hostssl all all     127.0.0.1/32 scram-sha-256
HBA
cat hba.conf >"$server/data/pg_hba.conf"
# Another process may take the port before the server does, so that it is a port that no connection of its own gets.
port=$(python3 - <<'PY'
import socket
highest = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0]) - 1
for port in range(highest, 1024, -1):
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        continue
    print(port)
    break
PY
)
start_server "-c listen_addresses=127.0.0.1 -c port=$port -c ssl=on -c ssl_cert_file=$server/server.crt" \
  "-c ssl_key_file=$server/server.key -c ssl_ca_file=$server/ca.crt -c log_statement=all"
owner="postgresql://harness@/postgres?host=$server&port=$port"

# The owner makes the schema and the roles; running the file again changes nothing.
samples() {
  for process in 1 2 3 4 5; do
    echo "{\"case\": \"gelu/n=1\", \"metric\": \"gpu_time\", \"unit\": \"us\", \"process\": $process, \"samples\": [$1.$process, $1.$process]}"
  done >samples.jsonl
}
repository
samples 100
commit "first"
expect 0 "$HARNESS" import samples.jsonl --suite demo --store "$owner"
for _ in 1 2; do
  expect 0 psql -qX -f "$share/roles.sql" "$owner"
done
secret='pass+word/9'
for user in ci:harness_insert gate:harness_promote viewer:harness_read; do
  sql "create role ${user%:*} login password '$secret'; grant ${user#*:} to ${user%:*}" || problem "no role for $user"
done
sql "create role robot login; grant harness_insert to robot" || problem "no role for robot"
: >"$server/log"  # of which nothing below may tell the password

# as USER PARAMETER... : a URL with these parameters.
as() { local IFS='&'; echo "postgresql://$1@localhost:$port/postgres?${*:2}"; }
safe="sslmode=verify-full&sslrootcert=$PWD/ca.crt"
printf '%s\n' "localhost:$port:*:*:$secret" >passwords
chmod 600 passwords
export PGPASSFILE=$PWD/passwords

# TLS: the certificate is checked, nothing goes in the clear, and a client may show a certificate of its own.
samples 101
commit "second"
expect 0 "$HARNESS" import samples.jsonl --suite demo --store "$(as ci "$safe")"
expect 2 "$HARNESS" records list --store "$(as ci "sslmode=verify-full" "sslrootcert=$PWD/other.crt")"
names certificate localhost
expect 2 "$HARNESS" records list --store "$(as ci sslmode=disable)"
expect 0 "$HARNESS" records list --store "$(as robot "$safe" "sslcert=$PWD/robot.crt" "sslkey=$PWD/robot.key")"
same "connections without TLS" "$(grep -c 'no encryption' "$server/log")" 1

# A password in the command line is refused; from the environment it works; a wrong one is not shown.
encoded=pass%2Bword%2F9
expect 2 "$HARNESS" records list --store "postgresql://ci:$encoded@localhost:$port/postgres"
names PGPASSFILE PGPASSWORD --store
silent_about "$encoded"
expect 2 "$HARNESS" records list --store "$(as ci "password=$encoded")"
silent_about "$encoded"
expect 0 env -u PGPASSFILE PGPASSWORD="$secret" "$HARNESS" records list --store "$(as viewer "$safe")" --format json
holds "$printed" 'len(report["records"]) == 2'
expect 2 env -u PGPASSFILE PGPASSWORD=hunter22 "$HARNESS" records list --store "$(as viewer "$safe")"
silent_about hunter22

# While a run measures, neither its processes' command lines nor what it writes tell the password. It is held until a
# process of it was seen that has code under test.
suite right held
sed -i 's/timeout: 5s/timeout: 300s/' suite.yaml
hold
speeds 100
commit "a suite"
(
  unset PGPASSFILE
  export PGPASSWORD="$secret"
  exec "$HARNESS" run suite.yaml --device scripted:speed.json --store "$(as ci "$safe")" --report json=run.json >run.log 2>&1
) &
running=$!
python3 - $running "$scratch" >commands.txt 2>/dev/null <<'PY' || true
import os, pathlib, sys
running, scratch = sys.argv[1:]

def words(file):
    try:
        return file.read_bytes().decode(errors="replace").split("\0")
    except OSError:  # the process ended
        return []

def ended():  # the state stands behind the name, which is in brackets
    state = "".join(words(pathlib.Path("/proc", running, "stat"))).rpartition(")")[2].split()
    return not state or state[0] in "ZX"

while not ended():
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        command = words(folder / "cmdline")
        print(*command)
        if "worker" in command:  # the environment of code under test
            environment = words(folder / "environ")
            if f"HARNESS_TEST_FOLDER={scratch}" in environment:
                print("worker's", *environment)
                pathlib.Path(scratch, "hold").unlink(missing_ok=True)
PY
wait $running || problem "the run failed: $(cat run.log)"
grep -q "^worker's.*HARNESS_TEST_FOLDER" commands.txt || problem "no process of code under test was seen"
psql -qAtX "$owner" -c "select header from harness.runs" -c "select planned from harness.cases" -c "select result from harness.results" >stored.txt
for file in commands.txt run.log run.json stored.txt "$server/log"; do
  ! grep -qF -e "$secret" -e "$encoded" "$file" || problem "$file tells the password"
done

# Roles. A record of the inserting role is complete and cannot be changed by it; it judges, names and removes nothing.
newest=$(sql "select id from harness.runs order by sequence desc limit 1")
refused() {
  ! psql -qAtX -v ON_ERROR_STOP=1 "$(as "$1" "$safe")" -c "$2" >"$printed" 2>&1 || problem "$1 may: $2"
}
untouched() {  # what row security hides is changed nowhere
  psql -qAtX "$(as "$1" "$safe")" -c "$2" >"$printed" 2>&1 || true
}
refused ci "update harness.runs set verdict = 'unchanged'"
refused ci "insert into harness.results select run, position, process + 100, outcome, result from harness.results"
refused ci "insert into harness.record_names values ('v1', 'demo', '', '$newest')"
refused viewer "insert into harness.campaigns values ('c', 1, '', '')"
before=$(sql "select md5(string_agg(id || header || state, ',' order by id)) from harness.runs")
results=$(sql "select md5(string_agg(run || position || process || result, ',' order by run, position, process)) from harness.results")
values=$(sql "select count(*) from harness.process_values")
untouched ci "update harness.runs set header = '', state = 'running'"
untouched ci "update harness.results set result = ''"
untouched ci "delete from harness.results"
untouched ci "delete from harness.process_values"
same "results" "$(sql "select md5(string_agg(run || position || process || result, ',' order by run, position, process)) from harness.results")" "$results"
same "values" "$(sql "select count(*) from harness.process_values")" "$values"
same "records" "$(sql "select md5(string_agg(id || header || state, ',' order by id)) from harness.runs")" "$before"
expect 2 "$HARNESS" records delete "$newest" --store "$(as ci "$safe")"
names roles.sql
expect 2 "$HARNESS" import samples.jsonl --suite demo --store "$(as viewer "$safe")"
names roles.sql
expect 0 "$HARNESS" history --suite demo --store "$(as viewer "$safe")"
expect 0 "$HARNESS" records delete "$newest" --store "$(as gate "$safe")"
same "records left" "$(sql "select count(*) from harness.runs")" 2
psql -qAtX -v ON_ERROR_STOP=1 "$(as gate "$safe")" -c "update harness.runs set verdict = 'unchanged'" >"$printed" 2>&1 ||
  problem "gate may not promote"
psql -qAtX -v ON_ERROR_STOP=1 "$(as gate "$safe")" \
  -c "update harness.cases set told_verdict = 'regressed' where run = (select id from harness.runs order by sequence desc limit 1)" >"$printed" 2>&1 ||
  problem "gate may not judge cases"

# Every query of the dashboard, with its variables and macros as Grafana fills them in, as the reading role.
python3 - "$share/dashboard.json" >queries.txt <<'PY'
import json, sys
board = json.load(open(sys.argv[1]))
known = {"suite": "demo", "case": "gelu/n=1", "metric": "gpu_time", "datasource": "P"}
names = [one["name"] for one in board["templating"]["list"]]
assert set(names) == set(known), names
queries = [one["query"] for one in board["templating"]["list"] if one["type"] == "query"]
queries += [target["rawSql"] for panel in board["panels"] for target in panel["targets"]]
for text in queries:
    text = text.replace("$__timeFilter(time)", "time BETWEEN '2000-01-01T00:00:00Z' AND '2999-01-01T00:00:00Z'")
    for name, value in known.items():
        text = text.replace("$" + name, value)
    assert "$" not in text, text
    print(text)
PY
[ "$(wc -l <queries.txt)" -eq 8 ] || problem "$(wc -l <queries.txt) queries"
while IFS= read -r query; do
  psql -qAtX -v ON_ERROR_STOP=1 "$(as viewer "$safe")" -c "$query" >"$printed" 2>&1 || problem "refused: $query"
  [ -s "$printed" ] || [[ $query == *campaign_progress* ]] || problem "no row: $query"
done <queries.txt

# The export that README.md of the folder shows.
copy=$(sed -n 's/^psql .* -c "\(\\copy.*\)"$/\1/p' "$share/README.md")
[ -n "$copy" ] || problem "README.md shows no export"
psql -qX -v ON_ERROR_STOP=1 "$(as viewer "$safe")" -c "$copy" >"$printed" 2>&1 || problem "the export failed: $copy"
same "rows of the export" "$(wc -l <results.csv)" 11
if command -v duckdb >/dev/null; then
  duckdb -c "COPY (FROM 'results.csv') TO 'results.parquet'" >"$printed" 2>&1 || problem "DuckDB made no Parquet"
  same "rows of the Parquet file" "$(duckdb -csv -noheader -c "SELECT COUNT(*) FROM 'results.parquet'")" 10
else
  echo "skipped: Parquet, because there is no duckdb"
fi

# The inserting role plans, measures and judges its campaigns, and says that it keeps no verdict. The results of a sick device
# it may replace while the campaign is not judged.
sed -i 's/n: \[64\]/n: [32, 64]/' suite.yaml
commit "two cases"
expect 0 "$HARNESS" run suite.yaml --device scripted:speed.json --store "$(as gate "$safe")"
git checkout -qb change
git commit -qm change --allow-empty
expect 0 "$HARNESS" farm plan suite.yaml --device scripted:speed.json --against main --measure all --no-confirm --looks 1 --block 1 \
  --store "$(as ci "$safe")"
expect 0 "$HARNESS" farm work --quiet --tasks 1 --store "$(as ci "$safe")"
farmed=$(sql "select id from harness.runs where state = 'farmed'")
count() { psql -qAtX -v ON_ERROR_STOP=1 "$(as "$1" "$safe")" -c "with changed as ($2 returning 1) select count(*) from changed"; }
[ "$(count ci "update harness.results set outcome = outcome where run = '$farmed'")" -gt 0 ] || problem "ci may not replace results"
same "tasks of others" "$(sql "create role stranger login password '$secret'; grant harness_insert to stranger")" ""
same "tasks that a stranger changed" "$(count stranger "update harness.tasks set done = 1")" 0
same "campaigns that a stranger cancelled" "$(count stranger "update harness.campaigns set cancelled = 1")" 0
same "results that a stranger replaced" "$(count stranger "update harness.results set outcome = outcome")" 0
refused stranger "insert into harness.results select run, position, process + 50, outcome, result from harness.results where run = '$farmed'"
refused stranger "insert into harness.tasks select campaign, number + 50, suite, first_case, case_count, results, holder, taken, expires, done from harness.tasks"
expect 2 "$HARNESS" farm work --quiet --store "$(as stranger "$safe")"
names ci
expect 2 "$HARNESS" farm plan suite.yaml --device scripted:speed.json --store "$(as viewer "$safe")"
names roles.sql
expect 0 "$HARNESS" farm work --quiet --store "$(as ci "$safe")"
expect 0 "$HARNESS" farm judge --store "$(as ci "$safe")"
names roles.sql
same "verdicts that ci kept" "$(sql "select verdict from harness.runs where id = '$farmed'")" ""
expect 0 "$HARNESS" farm judge --store "$(as gate "$safe")"
silent_about roles.sql
[ -n "$(sql "select verdict from harness.runs where id = '$farmed'")" ] || problem "gate kept no verdict"
expect 0 "$HARNESS" run suite.yaml --device scripted:speed.json --against main --store "$(as ci "$safe")"
names roles.sql
refused viewer "delete from harness.elements"
refused ci "delete from harness.elements"
finish
