#!/usr/bin/env bash
# A store that is deleted, replaced or full while a run measures into it: an error, and nothing is lost.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

repository
suite slow right
sed -i 's/processes: 5/processes: 15/' suite.yaml
commit "long enough"

measuring=(run)
# loses STORE COMMAND... : while `measuring` writes into it, the command takes the store away.
loses() {
  local store=$1 status=0
  shift
  rm -f harness-rescue-*.json
  "$HARNESS" "${measuring[@]}" suite.yaml --store "$store" >"$printed" 2>&1 </dev/null &
  local pid=$!
  eventually has_results "$store" 3
  "$@"
  wait "$pid" || status=$?
  [ "$status" -eq 2 ] || problem "exit status $status, not 2"
  names harness-rescue-
  local rescue records=0
  for rescue in harness-rescue-*.json; do
    holds "$rescue" "sum(len(case['results']) for case in report['cases']) >= $least"
    expect 0 "$HARNESS" report "$rescue"
    names slow
    records=$((records + 1))
  done
  same "the records saved" $records "$wanted"
  eventually has_no_worker
}

full() {
  python3 - "$1" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=30)
db.execute("create trigger full before insert on results begin select raise(fail, 'database or disk is full'); end")
db.commit()
PY
}

wanted=1 least=4
loses deleted.db rm -f deleted.db deleted.db-wal deleted.db-shm
"$HARNESS" run suite.yaml --store other.db --filter '*/right/*' --processes 1 >/dev/null 2>&1
loses replaced.db mv other.db replaced.db
loses full.db full full.db

# Both records of `ab`.
two_builds
measuring=(ab --baseline-build one --current-build other --pair session --measure all)
wanted=2 least=1
loses paired.db rm -f paired.db paired.db-wal paired.db-shm
finish
