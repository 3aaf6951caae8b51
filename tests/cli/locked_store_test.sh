#!/usr/bin/env bash
# A store that another process has locked: measuring goes on, its results are kept in a file and written later, also where
# the run is killed meanwhile.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite slow right
sed -i 's/processes: 5/processes: 15/' suite.yaml
commit "long enough"

# lock STORE: until `release` exists.
lock() {
  rm -f locked release
  python3 - "$1" <<'PY' &
import os, sqlite3, sys, time
store = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
store.execute("begin immediate")
open("locked", "w").close()
for _ in range(1200):
    if os.path.exists("release"):
        break
    time.sleep(0.05)
store.execute("rollback")
PY
  locker=$!
  eventually test -e locked
}
late() { cat harness-late-*.jsonl 2>/dev/null | wc -l; }
some_late() { [ "$(late)" -ge 3 ]; }

waits() { grep -q "waiting.*release.db" "$printed"; }

for end in release kill; do
  "$HARNESS" run suite.yaml --store $end.db --output $end.json >"$printed" 2>&1 </dev/null &
  pid=$!
  eventually has_results $end.db 3
  lock $end.db
  eventually some_late
  names harness-late-
  [ $end = release ] || kill -KILL $pid
  touch release
  wait $locker
  status=0
  wait $pid || status=$?
  if [ $end = kill ]; then
    eventually has_no_worker
    some_late || problem "the late results are gone"
    expect 0 "$HARNESS" run suite.yaml --store $end.db --continue --output $end.json
  else
    same "the exit status" "$status" 0
  fi
  same "results in the store" "$(results $end.db)" 30
  same "late results" "$(late)" 0
  holds $end.json 'all(len(case["results"]) == 15 for case in report["cases"])'
done

# A command that must write waits, and says for what.
lock release.db
"$HARNESS" run suite.yaml --store release.db --quiet --processes 1 >"$printed" 2>&1 </dev/null &
pid=$!
eventually waits
touch release
wait $locker
wait $pid || problem "the run that waited failed"
finish
