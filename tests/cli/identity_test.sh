#!/usr/bin/env bash
# A run looks before it measures: cases that do what the baseline's do pass without a sample; only the others
# are measured, and a regression is measured again before it fails. Time and launches are scripted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
printf '%s\n' '*.json' '!speed.json' '*.xml' '*.md' >>.gitignore  # reports change nothing that is measured
cat >suite.yaml <<'YAML'
version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 2, samples: 20, cache: hot, preheat: 0ms, timeout: 20s}
cases:
  - workload: twice
    variants: [right]
    axes: {n: [64, 128]}
YAML

# script FIELD... : what the device replays. 64=DIGEST:US and 128=DIGEST:US; a digest `gap` cannot be read; US
# may be a list of processes. clock=GHZ and uuid=NAME are the machine's.
script() {
  python3 - "$@" <<'PY'
import json, sys
given = dict(word.split("=", 1) for word in sys.argv[1:])
def case(n):
    digest, us = given.get(n, "a:100").split(":")
    us = [float(one) for one in us.split(",")]
    identity = {"gap": "a library is unknown"} if digest == "gap" else {"digest": digest}
    return {"match": "*/n=" + n, "process_us": [one * (1 + step) for one in us for step in ([0] if len(us) > 1 else [-.001, -.0005, 0, .0005, .001])],
            "sample_sd": 0.001, "identity": identity}
json.dump({"version": 1, "machine_class": "scripted", "device_uuid": given.get("uuid", "GPU-A"),
           "clock_ghz": float(given.get("clock", 1.9)), "cases": [case("64"), case("128")]}, open("speed.json", "w"))
PY
}
# outcomes FILE : "n outcome processes" of each case of a record.
outcomes() {
  python3 - "$1" <<'PY'
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    numbers = [one["process"] for one in case["results"]]
    print(case["id"].split("=")[1], case["outcome"], *numbers)
PY
}
measured="64 measured 1 2 3 4 5
128 measured 1 2 3 4 5"

script
commit "first"
expect 0 run --output first.record.json
same "a run without a baseline looks at nothing" "$(outcomes first.record.json)" "$measured"

# An unchanged build: proven, without a sample.
git checkout -qb change
echo "a change" >note && commit "change nothing that matters"
expect 0 run --against main --output same.record.json --report json=same.json,junit=same.xml,markdown=same.md
same "an unchanged build" "$(outcomes same.record.json)" "64 looked_at 0
128 looked_at 0"
holds same.json 'report["verdict"] == "identical"' 'report["exit_code"] == 0' \
  'all(row["verdict"] == "identical" and row["proven"] and row["processes"] == [5, 0] for row in report["cases"])'
grep -q 'failures="0"' same.xml || problem "the JUnit file tells a failure"
grep -qi "identical" same.md || problem "the Markdown does not name the verdict"
expect 0 "$HARNESS" compare --baseline main --current HEAD --report json=again.json
holds again.json 'report["verdict"] == "identical"'
expect 0 "$HARNESS" explain '*/n=64' --baseline main --current HEAD
expect 0 "$HARNESS" report HEAD

# One case changed: it alone is measured.
script 64=b:100
echo "# 2" >>note && commit "another kernel, as fast"
expect 0 run --against main --output one.record.json --report json=one.json
same "one changed case" "$(outcomes one.record.json)" "64 measured 1 2 3 4 5
128 looked_at 0"
holds one.json 'row("n=64")["unproven"]["why"]["code"] == "other_launches"' 'row("n=128")["verdict"] == "identical"'

# ... or all of them, if asked to.
expect 0 run --against main --measure all --output all.record.json --report json=all.json
same "--measure all" "$(outcomes all.record.json)" "$measured"
holds all.json 'row("n=128")["verdict"] == "identical"' 'row("n=128")["processes"] == [5, 5]'

# Launches that cannot be read prove nothing.
script 64=gap:100
echo "# 3" >>note && commit "an unknown library"
expect 0 run --against main --output gap.record.json --report json=gap.json
same "a gap" "$(outcomes gap.record.json)" "64 measured 1 2 3 4 5
128 looked_at 0"
holds gap.json 'row("n=64")["unproven"]["why"]["code"] == "unreadable"' 'row("n=64")["verdict"] != "identical"'

# Identical code that moved is the environment, with its cause, and not red.
script 64=a:105 clock=1.81
echo "# 4" >>note && commit "a slower clock"
expect 0 run --against main --measure all --report json=moved.json
holds moved.json 'report["verdict"] == "environment"' 'row("n=64")["verdict"] == "environment"' \
  'row("n=64")["reason_fact"]["cause"] == "clock_shift"' 'row("n=128")["verdict"] == "identical"'

# Another GPU of the model proves as well, and its times are not judged.
script 64=a:105 uuid=GPU-B
echo "# 5" >>note && commit "another GPU"
expect 0 run --against first.record.json --output other.record.json
same "another GPU" "$(outcomes other.record.json)" "64 looked_at 0
128 looked_at 0"
expect 0 run --against first.record.json --measure all --report json=other.json
holds other.json 'row("n=64")["verdict"] == "identical"' '1.04 < row("n=64")["ratio"] < 1.06'

# A regression that fresh processes confirm fails ...
script 64=b:104
echo "# 6" >>note && commit "slower"
expect 1 run --against main --output red.record.json --report json=red.json
same "a confirmed regression" "$(outcomes red.record.json)" "64 measured 1 2 3 4 5 1000001 1000002 1000003 1000004 1000005
128 looked_at 0"
holds red.json 'row("n=64")["confirmation"]["confirmed"]' 'row("n=64")["confirmation"]["fresh"]["processes"] == 5' \
  'row("n=64")["processes"] == [5, 5]'
expect 1 "$HARNESS" compare --baseline main --current HEAD --report json=again.json
holds again.json 'row("n=64")["confirmation"]["confirmed"]'
expect 0 "$HARNESS" explain '*/n=64' --baseline main --current HEAD

# ... also at once, if it is not to be measured again, or there is no time for it.
echo "# 7" >>note && commit "slower, once more"
expect 1 run --against main --no-confirm --output quick.record.json --report json=quick.json
same "--no-confirm" "$(outcomes quick.record.json)" "64 measured 1 2 3 4 5
128 looked_at 0"
holds quick.json 'row("n=64")["confirmation"] is None' 'any(one["code"] == "unconfirmed" for one in report["facts"]["remarks"])'
expect 1 run --against main --budget 0s
# ... and one that they do not confirm is open: processes 1 to 5 are slow, 1000001 to 1000005 are not.
python3 - <<'PY'
import json
script = json.load(open("speed.json"))
quiet = [-.001, -.0005, 0, .0005, .001]
script["cases"][0]["process_us"] = [104 * (1 + one) for one in quiet] + [100 * (1 + quiet[i % 5]) for i in range(498)]
json.dump(script, open("speed.json", "w"))
PY
echo "# 8" >>note && commit "slow by chance"
expect 3 run --against main --report json=chance.json
holds chance.json 'row("n=64")["verdict"] == "inconclusive"' 'not row("n=64")["confirmation"]["confirmed"]' \
  'row("n=64")["reason_fact"]["code"] == "not_confirmed"' 'row("n=64")["processes"] == [5, 10]'

# A metric that no proof covers and that has a gate of its own is measured and judged all the same.
git checkout -q -- . && git checkout -qb setup main
script
sed -i 's/"sample_sd": 0.001, "identity": {"digest": "a"}/"sample_sd": 0.001, "setup_us": 1000, "takes_bytes": 64, "identity": {"digest": "a"}/g' speed.json
sed -i 's/^    axes: .*/&\n    metrics: [setup_time, peak_memory]/' suite.yaml
commit "measured"
expect 0 run
sed -i 's/"setup_us": 1000/"setup_us": 2000/' speed.json
echo "# 9" >>note && commit "slower to construct, no gate"
expect 0 run --against setup~1 --output spared.record.json
same "a metric without a gate of its own" "$(outcomes spared.record.json)" "64 looked_at 0
128 looked_at 0"
printf '%s\n' '    overrides:' '      - {match: {n: 64}, gate: {metrics: {setup_time: {margin: 5%}}}}' >>suite.yaml
commit "a gate of setup_time"
expect 1 run --against setup~2 --output setup.record.json --report json=setup.json
same "a metric with a gate of its own" "$(outcomes setup.record.json)" "64 measured 1 2 3 4 5 1000001 1000002 1000003 1000004 1000005
128 looked_at 0"
holds setup.json 'row("n=64", "setup_time")["verdict"] == "regressed"' 'row("n=64", "wall_time")["verdict"] == "identical"' \
  'row("n=128", "peak_memory")["verdict"] == "identical"'
sed -i 's/"setup_us": 2000/"setup_us": 1000/' speed.json
commit "faster to construct"
expect 0 run --against setup~3 --report json=setup.json
holds setup.json 'row("n=64", "setup_time")["verdict"] == "unchanged"'

# The digest holds the memory that a variant takes itself, where it is measured: more of it is no identical call.
sed -i 's/"takes_bytes": 64/"takes_bytes": 640/' speed.json
echo "# 10" >>note && commit "more memory"
expect 1 run --against setup~1 --report json=setup.json
holds setup.json 'row("n=64", "peak_memory")["verdict"] == "regressed"'
finish
