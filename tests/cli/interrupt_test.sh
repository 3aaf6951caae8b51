#!/usr/bin/env bash
# A run that is interrupted or killed keeps what it finished and can be continued.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite slow right also_right
sed -i 's/processes: 5/processes: 15/; s/samples: 20/samples: 30/' suite.yaml
commit "long enough to be interrupted"

for signal in INT TERM KILL; do
  store=$signal.db
  setsid "$HARNESS" run suite.yaml --store $store --report junit=$signal.xml --output "$signal.json" >"$signal.log" 2>&1 &
  pid=$!
  eventually has_results $store 3
  kill -$signal "$pid"
  status=0
  wait "$pid" || status=$?
  if [ $signal != KILL ]; then
    [ "$status" -eq 130 ] || problem "SIG$signal: exit status $status, not 130"
    grep -qF -- --continue "$signal.log" || problem "SIG$signal: nothing says how to go on"
  fi
  has_results $store 3 || problem "$signal: only $(results $store) results were kept"
  # The file that a CI reads holds every case, and is red.
  holds $signal.xml \
    '{"twice/slow/n=64", "twice/right/n=64", "twice/also_right/n=64"} <= {case.get("name") for case in report.iter("testcase")}' \
    'any(case.find("error") is not None and "/" not in case.get("name") for case in report.iter("testcase"))'
  # No worker outlives its parent.
  eventually has_no_worker
  expect 2 "$HARNESS" run suite.yaml --store $store --continue --samples 7
  names --continue
  # Neither another machine nor other uncommitted changes may be mixed in.
  speeds 100
  expect 4 "$HARNESS" run suite.yaml --store $store --continue --device scripted:speed.json
  echo "# changed" >>.gitignore
  expect 4 "$HARNESS" run suite.yaml --store $store --continue
  git checkout -q .gitignore
  # Nor the processes of another build: of the program, or of the suite's module.
  mkdir -p .harness && cp "$HARNESS" .harness/other && echo >>.harness/other
  expect 2 .harness/other run suite.yaml --store $store --continue
  names build
  cp plugin.so .harness/kept.so && echo >>plugin.so
  expect 2 "$HARNESS" run suite.yaml --store $store --continue
  names build
  mv .harness/kept.so plugin.so
  expect 0 "$HARNESS" run suite.yaml --store $store --continue --report junit=$signal.xml --output $signal.json
  holds $signal.json 'len(report["cases"]) == 3' 'all(case["outcome"] == "measured" for case in report["cases"])' \
    'all(len(case["metrics"][0]["processes"]) == 15 for case in report["cases"])'
  # There is no unfinished run any more.
  expect 4 "$HARNESS" run suite.yaml --store $store --continue
done
finish
