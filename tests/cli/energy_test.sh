#!/usr/bin/env bash
# The energy of a call as a metric: in the record, in a comparison, in the history and in the reports, with a gate of its
# own, and refused on a CPU. A script replays the counter.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
# suite METRICS GATE
energy_suite() {
  cat >suite.yaml <<YAML
version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}
  gate: {margin: 1%$2}
cases:
  - workload: twice
    variants: [right]
    axes: {n: [64]}
    metrics: [$1]
YAML
}

# script WATTS SUSTAINED_US: what the device draws, and a call among others.
script() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
 "energy": {"idle_watts": 95, "step_ms": [77, 100, 83], "reading_us": 4000, "cap_watts": 700},
 "cases": [{"match": "*", "us": 200, "process_sd": 0.0005, "sample_sd": 0.001, "watts": $1, "sustained_us": $2}]}
JSON
}
energy_suite "time, energy, sustained_time" ""
script 600 220
commit "calm"
expect 0 run --output main.json

# values FILE METRIC: of its processes, as (count, mean, largest relative distance from it).
values() {
  python3 - "$@" <<'PY'
import json, sys
case = json.load(open(sys.argv[1]))["cases"][0]
series = next(one for one in case["metrics"] if one["metric"] == sys.argv[2])
found = [p["placements"][0]["samples"][0] for p in series["processes"]]
mean = sum(found) / len(found)
print(series["unit"], len(found), "%.3f" % mean, max(abs(one / mean - 1) for one in found) < 0.02)
PY
}
same "energies" "$(values main.json energy)" "J 5 0.132 True"
same "sustained times" "$(values main.json sustained_time | sed 's/ 2[12][0-9]\.[0-9]* / about 220 /')" "us 5 about 220 True"
holds main.json '[n for n in report["cases"][0]["results"][0]["notes"] if n["code"] == "energy_window"][0]["idle_watts"] > 94' \
  '[n for n in report["cases"][0]["results"][0]["notes"] if n["code"] == "power_and_cap"][0]["cap"] == 700'

# The same device again; then one that draws 5 % more in as much time.
expect 0 run --output now.json
expect 0 "$HARNESS" compare --baseline main.json --current now.json --report json=compared.json
holds compared.json 'row("n=64", "energy")["verdict"] == "unchanged"' 'not row("n=64", "energy")["informative"]' \
  'row("n=64", "sustained_time")["informative"]'
script 630 220
commit "hungry"
expect 0 run --output hungry.json
expect 1 "$HARNESS" compare --baseline main.json --current hungry.json --report json=compared.json
holds compared.json 'row("n=64", "energy")["verdict"] == "regressed"' 'row("n=64", "wall_time")["verdict"] == "unchanged"' \
  '0.04 < row("n=64", "energy")["ratio"] - 1 < 0.06'
for format in markdown terminal csv; do
  expect 1 "$HARNESS" compare --baseline main.json --current hungry.json --report "$format=compared.$format"
  grep -q energy "compared.$format" || problem "the $format report does not name the energy"
done
expect 0 "$HARNESS" history --metric energy --report json=history.json
holds history.json '{one["metric"] for one in report["series"]} == {"energy"}'

# A slower call among others, at the same energy: shown, and decided only where a gate names it.
script 500 264
expect 0 run --output slower.json
expect 0 "$HARNESS" compare --baseline main.json --current slower.json --report json=compared.json
holds compared.json 'row("n=64", "sustained_time")["verdict"] == "regressed"'
energy_suite "time" ", metrics: {sustained_time: {margin: 2%}}"
script 600 220
expect 0 run --output main.json
script 500 264
expect 0 run --output slower.json
expect 1 "$HARNESS" compare --baseline main.json --current slower.json

# Another process on the device: there is no value, and a record that lacks it does not pass.
energy_suite "energy" ", metrics: {energy: {margin: 1%}}"
script 600 220
expect 0 run --output main.json
python3 - <<'PY'
import json
script = json.load(open("speed.json"))
script["cases"][0]["conditions"] = [{"other_processes": 1}]
json.dump(script, open("speed.json", "w"))
PY
expect 0 run --output beside.json
holds beside.json '"energy" not in {one["metric"] for one in report["cases"][0]["metrics"]}' \
  '"metric_beside_others" in {one["code"] for one in report["cases"][0]["results"][0]["notes"]}'
expect 4 "$HARNESS" compare --baseline main.json --current beside.json

# Without a value on either side, and by the case's own gate: a remark says so.
energy_suite "time, energy" ""
expect 0 run --output beside.json
expect 0 run --output again.json
expect 0 "$HARNESS" compare --baseline beside.json --current again.json --report json=compared.json
holds compared.json '("gate_without_values", "energy") in [(one["code"], one.get("metric")) for one in report["facts"]["remarks"]]'
# A device that does not tell who else is there has no energy either.
python3 - <<'PY'
import json
script = json.load(open("speed.json"))
script["cases"][0]["conditions"] = [{"other_processes": None}]
json.dump(script, open("speed.json", "w"))
PY
expect 0 run --output unknown.json
holds unknown.json '"metric_beside_unknown" in {one["code"] for one in report["cases"][0]["results"][0]["notes"]}'

# The table of energies: the spread between processes decides its exit status.
energy_suite "time, energy, sustained_time" ""
script 600 220
expect 0 run --output main.json
expect 0 python3 "$tests/energy/figures.py" main.json
names right/n=64 J ms
expect 1 python3 "$tests/energy/figures.py" --most-sd 0.0001 main.json
expect 1 python3 "$tests/energy/figures.py" --most-sd 5 --processes 6 main.json
names 5/6
expect 0 run --processes 1 --output one.json
expect 1 python3 "$tests/energy/figures.py" one.json
expect 0 python3 "$tests/energy/figures.py" --processes 1 one.json
expect 1 python3 "$tests/energy/figures.py" --processes 5 beside.json
names metric_beside_others

# A CPU has none: the suite is refused, with the place.
expect 2 "$HARNESS" run suite.yaml --device cpu
names suite.yaml:11:21 energy suite.yaml:11:29 sustained_time
finish
