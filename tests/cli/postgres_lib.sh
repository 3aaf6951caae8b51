# shellcheck shell=bash disable=SC2154  # scratch, printed and tests are those of tests/lib.sh
# Sourced behind lib.sh by tests that want a PostgreSQL server of the distribution's package. Without one the test is
# skipped, unless HARNESS_REQUIRE_POSTGRES.

# shellcheck disable=SC2012  # names of Debian's folders
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$postgres" ]; then
  [ -z "${HARNESS_REQUIRE_POSTGRES:-}" ] || problem "HARNESS_REQUIRE_POSTGRES is set, and no server is installed"
  echo "skipped: no PostgreSQL server is installed (package postgresql)"
  finish
fi
server=$scratch/server
mkdir "$server"
unprivileged=()
if [ "$(id -u)" -eq 0 ]; then  # PostgreSQL refuses to run as root
  unprivileged=(runuser -u nobody --)
  chown nobody "$server"
  chmod 711 "$scratch"
fi
as_server() { (cd "$server" && LC_ALL=C "${unprivileged[@]}" "$@"); }

# start_server OPTION... : with these settings (-c NAME=VALUE).
start_server() {
  as_server "$postgres/pg_ctl" --wait --pgdata="$server/data" --log="$server/log" \
    --options="-c fsync=off -k $server $*" start >"$printed" 2>&1 || problem "the server does not start: $(cat "$server/log")"
}
stop_server() { as_server "$postgres/pg_ctl" --pgdata="$server/data" --mode=immediate stop >"$printed" 2>&1; }

# make_server: owner `harness`; nobody is asked for a password.
make_server() {
  as_server "$postgres/initdb" --no-sync --auth=trust --username=harness --encoding=UTF8 --locale=C --pgdata="$server/data" \
    >"$printed" 2>&1 || problem "no server could be made"
  trap 'stop_server; rm -rf "$scratch"' EXIT
}
owner="postgresql://harness@/postgres?host=$server"
# sql TEXT : as the owner, by the socket.
sql() { psql -qAtX -v ON_ERROR_STOP=1 "$owner" -c "$1"; }
