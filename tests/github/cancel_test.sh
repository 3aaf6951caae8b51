#!/usr/bin/env bash
# A job that is cancelled while it measures: what was finished is kept, and the summary says so.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"
# shellcheck source=tests/github/lib.sh
. "$here/lib.sh"
install_packages

repository_with_workflows
suite slow right
sed -i 's/processes: 5/processes: 30/; s/samples: 20/samples: 30/' suite.yaml
commit "long enough to be cancelled"
event push

echo '{"inputs": {"suite": "suite.yaml", "harness": "build/release/bin/harness"}}' >"$scratch/call.json"
# measure ARGUMENT... : the job that measures. bash's `exec` keeps its process the one that gets the signal.
measure() {
  exec node "$NODE_WORK/runner.mjs" .github/workflows/gate.yml measure "$scratch/event.json" "$result" --called-by "$scratch/call.json" \
    --needs plan=success,measure=true,proposed=true --matrix 'suite={"file": "suite.yaml", "key": "suite.yaml"}' \
    --with harness="${PROGRAM:-$HARNESS}" --with lock="$scratch/gpu.lock" "$@" </dev/null
}
measure --with arguments= >"$printed" 2>&1 &
job=$!
eventually has_results .harness/results.db 3
kill -TERM $job
wait $job || problem "runner.mjs failed"
kept=$(results .harness/results.db)
if [ "$kept" -lt 3 ] || [ "$kept" -ge 60 ]; then problem "$kept results were kept"; fi
gives 'result["conclusion"] == "cancelled"' 'result["outputs"]["verdict"] == "interrupted"' \
  '"### Interrupted" in result["summary"]' '"results are kept" in result["summary"]' \
  'annotation("warning") and not annotation("error")' 'result["artifacts"] == ["harness-report-suite.yaml"]' \
  '[step for step in result["steps"] if step["name"] == "Verdict"][0]["status"] == 130'
[ "$(cat "$scratch/artifacts/harness-report-suite.yaml/status")" = 130 ] || problem "the status that was kept is not 130"
flock --nonblock "$scratch/gpu.lock" true || problem "the lock is still held"

# The same commit can be finished, and then it is no half record.
expect 0 "$HARNESS" run suite.yaml --continue --quiet
expect 4 "$HARNESS" run suite.yaml --continue --quiet

# Cancelled while it waits for the machine: nothing is measured, and nothing hangs.
exec 8>"$scratch/gpu.lock"
flock 8
before=$(results .harness/results.db)
measure >"$scratch/log" 2>&1 8>&- &
job=$!
eventually grep -qs "waiting for another job" "$scratch/log"
kill -TERM $job
wait $job || problem "runner.mjs failed"
exec 8>&-
same "results" "$(results .harness/results.db)" "$before"
gives 'result["conclusion"] == "cancelled"' 'result["outputs"]["verdict"] == "interrupted"'
finish
