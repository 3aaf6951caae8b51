#!/usr/bin/env bash
# `harness ab` in one process: a build that slows the other only while both are loaded, and what a build leaves behind there.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${PLUGIN_NEXT:?}"

repository
suite right
cat >build.sh <<SH
#!/bin/sh
if [ -f next ]; then cp "$PLUGIN_NEXT" plugin.so; else cp "$PLUGIN" plugin.so; fi
SH
chmod +x build.sh
# script BASELINE_US BASELINE_ALONE_US CURRENT_US CURRENT_ALONE_US [PROCESS_SD]
script() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": $1, "alone_us": $2, "process_sd": ${5:-0.002}, "sample_sd": 0.01},
 {"match": "*", "side": "current", "us": $3, "alone_us": $4, "process_sd": ${5:-0.002}, "sample_sd": 0.01}]}
JSON
  commit "$*"
}
ab() {
  "$HARNESS" ab suite.yaml --baseline "${base:-HEAD}" --device scripted:speed.json --build ./build.sh --pair "${pair:-process}" --color never "$@"
}
# alone FILE: how many processes of the current record held it alone.
alone() {
  local id
  id=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["current"]["id"])' "$1")
  "$HARNESS" report "$id" --output record.json >/dev/null 2>&1
  python3 -c 'import json; print(len([p for s in json.load(open("record.json"))["cases"][0].get("alone", [])[:1] for p in s["processes"]]))'
}

# Builds that nothing slows: one process in five beside, and the pairs decide.
script 100 100 100 100
expect 0 ab --report json=equal.json
holds equal.json 'row()["verdict"] == "unchanged"' 'row()["processes"] == [5, 5]' \
  'not any(one["code"] == "judged_alone" for one in row()["diagnostics"])'
same "processes alone" "$(alone equal.json)" 1
# Processes that differ by 2 % are no reason to doubt.
script 100 100 100 100 0.02
expect 0 ab --report json=noisy.json
holds noisy.json 'row()["verdict"] == "unchanged"'
# Both are slower together, by as much: the ratio stays.
script 130 100 130 100
expect 0 ab
# Red and improved are asked again, and stay.
script 100 100 103 103
expect 1 ab --report json=red.json
holds red.json 'row()["verdict"] == "regressed"' 'not any(one["code"] == "judged_alone" for one in row()["diagnostics"])'
same "processes alone of a red case" "$(alone red.json)" 5
script 103 103 100 100
expect 0 ab --report json=better.json
holds better.json 'row()["verdict"] == "improved"'
same "processes alone of a better case" "$(alone better.json)" 5

# Inputs that the change states are a proposal here, too.
git checkout -qb zeros && sed -i 's/samples: 20/samples: 20, inputs: zeros/' suite.yaml && commit "on zeros"
inputs() {
  local id
  id=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["current"]["id"])' "$1")
  "$HARNESS" report "$id" --output record.json >/dev/null 2>&1
  python3 -c 'import json; print({one["sampling"].get("inputs", "drawn") for one in json.load(open("record.json"))["cases"]})'
}
base=HEAD~1
for pair in process session; do
  expect 0 ab --report json=zeros.json
  same "inputs that are proposed" "$(inputs zeros.json)" "{'drawn'}"
  holds zeros.json 'any(one["code"] == "sampling_proposed" for one in row()["diagnostics"])'
done
expect 0 ab --accept-proposed --report json=zeros.json
same "inputs that are accepted" "$(inputs zeros.json)" "{'zeros'}"
holds zeros.json 'not any(one["code"] == "sampling_proposed" for one in row()["diagnostics"])'
git checkout -q main
unset base pair

# The current build slows the baseline, as long as both are loaded: alone it is 1.5 times as slow.
script 150 100 150 150
expect 1 ab --report json=hidden.json
holds hidden.json 'row()["verdict"] == "regressed"' '1.45 < row()["ratio"] < 1.55' 'row()["processes"] == [5, 5]' \
  'any(one["code"] == "judged_alone" for one in row()["diagnostics"])'
# Stored, it is judged so again; with too few processes alone nothing is decided.
read -r old new < <(python3 -c 'import json; d=json.load(open("hidden.json")); print(d["baseline"]["id"], d["current"]["id"])')
expect 1 "$HARNESS" compare --baseline "$old" --current "$new" --report json=again.json
holds again.json 'any(one["code"] == "judged_alone" for one in row()["diagnostics"])'
for side in old new; do "$HARNESS" report "${!side}" --output $side.json >/dev/null; done
python3 - <<'PY'
import json
for side in ("old", "new"):
    record = json.load(open(side + ".json"))
    for one in record["cases"]:
        for series in one["alone"]:
            series["processes"] = series["processes"][:1]
    json.dump(record, open("few-" + side + ".json", "w"))
    for one in record["cases"]:
        one["alone"] = [] if side == "old" else one["alone"]
    json.dump(record, open("half-" + side + ".json", "w"))
PY
expect 3 "$HARNESS" compare --baseline few-old.json --current few-new.json --report json=few.json
holds few.json 'row()["reason_fact"]["code"] == "alone_differs"'
names --pair
expect 3 "$HARNESS" compare --baseline half-old.json --current half-new.json --report json=half.json
holds half.json 'row()["reason_fact"]["code"] == "alone_unmeasured"'
# The other way round: a build that looks slower, because the other slows it.
script 100 100 150 100
expect 0 ab --report json=slowed.json
holds slowed.json 'row()["verdict"] == "unchanged"' 'any(one["code"] == "judged_alone" for one in row()["diagnostics"])'

# Plugins and a real clock: the earlier commit's takes ten times as long while the later one is loaded.
suite slowed leaves && sed -i 's/placements: 3, samples: 20/placements: 2, samples: 8/' suite.yaml
commit "slowed"
touch next && commit "the next plugin"
real() { "$HARNESS" ab suite.yaml --baseline HEAD~1 --device cpu --build ./build.sh --pair process --color never "$@"; }
"$HARNESS" ab suite.yaml --baseline HEAD~1 --device cpu --build ./build.sh --pair process --color never --filter '*/slowed/*' \
  --report json=real.json >"$printed" 2>&1 && problem "a build ten times as slow passes"
holds real.json 'row()["verdict"] != "unchanged"' \
  'row()["reason_fact"]["code"] == "alone_differs" or any(one["code"] == "judged_alone" for one in row()["diagnostics"])'
# A timer that a build leaves behind in the process of both is found there.
expect 5 real --filter '*/leaves/*' --report json=left.json
holds left.json 'row()["verdict"] == "failed"'
names "timer"
# The same builds without it.
rm next && commit "back to the first plugin"
expect 0 ab --filter '*/leaves/*'
finish
