#!/usr/bin/env bash
# Cases that are still open are measured on from look to look, and no verdict changes by it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
cat >suite.yaml <<'YAML'
version: 2
name: demo
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 1, samples: 20, cache: hot, preheat: 0ms, timeout: 5s}
cases:
  - workload: twice
    variants: [right]
    axes: {n: [64, 128, 256, 512]}
YAML

# script FILE FACTOR : what each of 20 processes measures. 64 is quiet, and slower by the factor; 128 is quiet
# from the sixth process on; 256 varies by 1.6 % all the time. 512 varies by 10 % and is 3 % slower: neither a pass
# nor a regression is likely by the last look. Around 0 % it would be measured on, as it may well be faster.
script() {
  python3 - "$1" "$2" <<'PY'
import json, sys
file, factor = sys.argv[1], float(sys.argv[2])
steps = [-1.26, -0.63, 0, 0.63, 1.26]
def values(spread, count): return [100 * (1 + spread * step / 100) for step in steps] * (count // 5)
base = factor == 1
cases = {64: [v * factor for v in values(0.1, 20)],
         128: values(0.1 if base else 1, 5) + values(0.1, 15),
         256: values(0.1 if base else 1.6, 20),
         512: values(0.1, 20) if base else [us * 1.03 for us in values(10, 20)]}
json.dump({"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
           "cases": [{"match": "*/n=%d" % n, "process_us": us, "sample_sd": 0.001} for n, us in cases.items()]},
          open(file, "w"))
PY
}

# looks FILE : "n verdict look processes next" of each case, in the order of n.
looks() {
  python3 - "$1" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))["cases"]
for row in sorted(rows, key=lambda row: int(row["case"].split("=")[1])):
    look = row["look"] or {"number": "-", "next": None}
    print(row["case"].split("=")[1], row["verdict"], look["number"], row["processes"][1], look["next"])
PY
}
# measured FILE : how many processes of each case the record holds.
measured() {
  python3 - "$1" <<'PY'
import json, sys
print(*[len(case["metrics"][0]["processes"]) for case in json.load(open(sys.argv[1]))["cases"]])
PY
}

script speed.json 1
commit "fast"
expect 0 run --processes 20
git checkout -qb change
script speed.json 1.04
commit "slower"

# One case is decided at each look, and one will not be.
settled="64 regressed 1 5 None
128 unchanged 2 10 None
256 unchanged 3 20 None
512 inconclusive 1 5 None"
expect 1 run --against main --report json=first.json --output first.record.json
same "after measuring on" "$(looks first.json)" "$settled"
same "the record" "$(measured first.record.json)" "10 10 20 5"  # five fresh processes confirm what regressed

# The stored record says the same, to people and to machines.
expect 1 "$HARNESS" compare --baseline main --current HEAD --report json=again.json,junit=again.xml,markdown=again.md
same "compared again" "$(looks again.json)" "$settled"
python3 - <<'PY' || problem "a number changed when compared again"
import json
def numbers(file): return [{key: row[key] for key in row if key not in ("advice", "diagnostics")} for row in json.load(open(file))["cases"]]
assert numbers("first.json") == numbers("again.json")
PY
grep -q "look 2" again.xml || problem "the JUnit file names no look"
grep -q "look 2" again.md || problem "the Markdown names no look"
expect 0 "$HARNESS" explain 'twice/right/n=256' --baseline main --current HEAD
names Bonferroni

# Without time the first look is all there is; `compare --measure` goes on from there, in the same record.
git commit -q --allow-empty -m "again"
expect 1 run --against main --budget 0s --report json=none.json
names --measure
same "without a budget" "$(looks none.json)" "64 regressed 1 5 None
128 inconclusive 1 5 10
256 inconclusive 1 5 10
512 inconclusive 1 5 None"
measure() { "$HARNESS" compare --baseline main --current HEAD --measure --device scripted:speed.json "$@"; }
echo "# changed" >>speed.json
expect 2 "$HARNESS" compare --baseline main --current "$(git rev-parse HEAD)" --measure
git checkout -q speed.json
mkdir -p "$scratch/other" && cp "$HARNESS" "$scratch/other/harness" && echo >>"$scratch/other/harness"
expect 2 "$scratch/other/harness" compare --baseline main --current HEAD --measure --device scripted:speed.json
expect 1 measure --report json=measured.json
same "compare --measure" "$(looks measured.json)" "$settled"
before=$(results .harness/results.db)
expect 1 measure --report json=measured.json
same "measured again" "$(results .harness/results.db)" "$before"
expect 2 "$HARNESS" compare --baseline main --current main --measure --device scripted:speed.json

# Looks of one's own, of the suite, or a single one.
expect 1 run --against main --looks 5,15 --report json=own.json
same "--looks 5,15" "$(looks own.json | cut -d' ' -f1,3,4)" "64 1 5
128 2 15
256 2 15
512 1 5"
expect 1 run --against main --looks 1 --report json=single.json
same "--looks 1" "$(looks single.json | cut -d' ' -f1,3,4)" "64 - 5
128 - 5
256 - 5
512 - 5"
expect 2 measure
expect 2 run --against main --looks 5,5
names --looks 5,10,20
expect 2 run --against main --looks five
expect 2 run --against main --budget soon
names --budget
sed -i 's/^cases:/  gate: {looks: [5, 16]}\ncases:/' suite.yaml
expect 0 "$HARNESS" list suite.yaml --device scripted:speed.json
expect 1 run --against main --report json=suite.json
same "looks of the suite" "$(looks suite.json | cut -d' ' -f1,3,4)" "64 1 5
128 2 16
256 2 16
512 1 5"
git checkout -q suite.yaml

# Interrupted at a look: what was measured stays, and --continue takes it up.
sed -i 's/\[right\]/[slow]/; s/\[64, 128, 256, 512\]/[256]/; s/samples: 20/samples: 60/' suite.yaml
commit "slow"
script speed.json 1 && expect 0 run --processes 20 --output slow.json
script speed.json 1.04
setsid "$HARNESS" run suite.yaml --device scripted:speed.json --against slow.json --store slow.db >slow.log 2>&1 &
pid=$!
eventually has_results slow.db 7
kill -INT "$pid"
status=0
wait "$pid" || status=$?
same "SIGINT at a look" "$status" 130
kept=$(results slow.db)
{ [ "$kept" -ge 7 ] && [ "$kept" -lt 20 ]; } || problem "$kept results were kept"
expect 0 run --continue --against slow.json --store slow.db --report json=slow_verdict.json
same "continued" "$(looks slow_verdict.json)" "256 unchanged 3 20 None"
finish
