#!/usr/bin/env bash
# Views and dashboard tell the verdict of each case, by whatever command it was judged: `farm judge`, `ab` and `run`. The
# dashboard's panels are asked as Grafana asks them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"
# shellcheck source=tests/cli/postgres_lib.sh
. "$tests/cli/postgres_lib.sh"
make_server
start_server "-c listen_addresses="

repository
cat >suite.yaml <<'YAML'
version: 2
name: built
defaults: {sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [63, 64, 65, 66]}}
YAML
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*n=64", "side": "current", "us": 104, "process_sd": 0.001, "sample_sd": 0.01},
 {"match": "*", "us": 100, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
commit "first"
two_builds

# panel TITLE : the rows of a panel of this title, as Grafana asks for them.
panel() {
  python3 - "$tests/../harness/store/postgresql/dashboard.json" "$1" "$(sql "select min(metric) from harness.result_values")" >query.txt <<'PY'
import json, sys
board = json.load(open(sys.argv[1]))
target, = (target for panel in board["panels"] if panel["title"] == sys.argv[2] for target in panel["targets"])
text = target["rawSql"].replace("$__timeFilter(time)", "time BETWEEN '2000-01-01T00:00:00Z' AND '2999-01-01T00:00:00Z'")
for name, value in (("suite", "built"), ("case", "probe_copy/memcpy/n=64"), ("metric", sys.argv[3])):
    text = text.replace("$" + name, value)
print(text)
PY
  sql "$(cat query.txt)"
}
regressed() { panel "Regressed cases by commit" | cut -d'|' -f2 | tail -n 1; }
newest() { panel "Newest verdict of each case" | cut -d'|' -f1,3 | sort | tr '\n' ' '; }
wanted="probe_copy/memcpy/n=63|unchanged probe_copy/memcpy/n=64|regressed probe_copy/memcpy/n=65|unchanged probe_copy/memcpy/n=66|unchanged "
# shellcheck disable=SC2016  # the title of a panel
series() { panel '$case: $metric by commit' | cut -d'|' -f3 | sort | uniq -c | tr -s ' ' | tr '\n' ','; }

both() { "$HARNESS" "$@" suite.yaml --baseline-build one --current-build other --device scripted:speed.json --store "$owner" --pair process --measure all --no-confirm; }
records=0
for way in farm ab; do
  if [ $way = farm ]; then
    expect 0 both farm plan --looks 1
    expect 0 "$HARNESS" farm work --quiet --store "$owner"
    expect 1 "$HARNESS" farm judge --store "$owner"
  else
    expect 1 both ab
  fi
  records=$((records + 1))
  same "verdicts by $way" "$(newest)" "$wanted"
  same "regressed cases by $way" "$(regressed)" 1
  same "records with a regressed case" "$(panel "Regressed cases by commit" | wc -l)" $records
  same "series by $way" "$(series)" " $records GPU-A baseline, $records GPU-A current,"
  same "cases of A/B records that choose baselines" "$(sql "select count(*) from harness.case_states where side <> '' and history_verdict <> ''")" 0
done

# By the record's own history, whose verdicts also choose baselines.
run_at() {
  sed -i "s/\"match\": \"\*n=64\".*\"us\": [0-9]*/\"match\": \"*n=64\", \"us\": $1/" speed.json
  git commit -qam "$1" --allow-empty
}
run_at 100
expect 0 "$HARNESS" run suite.yaml --device scripted:speed.json --store "$owner"
git checkout -qb change
run_at 104
expect 1 "$HARNESS" run suite.yaml --device scripted:speed.json --store "$owner" --against main --measure all --no-confirm --looks 1
same "verdicts by run" "$(newest)" "$wanted"
same "regressed cases by run" "$(regressed)" 1
same "verdicts that choose baselines" "$(sql "select count(*) from harness.case_states where side = '' and history_verdict = 'regressed'")" 1
finish
