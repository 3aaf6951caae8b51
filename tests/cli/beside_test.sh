#!/usr/bin/env bash
# `run --against REV` takes the best comparison there is: a stored baseline, else the base commit built and
# measured beside this build. The report says which. Time is scripted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

repository
suite right
printf '%s\n' build/ '*.json' '!speed.json' >>.gitignore
cat >build.sh <<SH
#!/bin/sh
[ ! -f broken ] || exit 1
echo built >>"$scratch/builds"
cp "$PLUGIN" plugin.so
if [ -f program ]; then
  mkdir -p build/release/bin build/release/lib
  cp "$HARNESS" build/release/bin/harness
  cp "$KERNELS" build/release/lib/libharness_kernels.so
fi
SH
chmod +x build.sh
: >"$scratch/builds"
builds() { wc -l <"$scratch/builds"; }
# both BASELINE_US CURRENT_US : one script, which knows the sides; a run alone is neither.
both() {
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": $1, "process_sd": 0.001, "sample_sd": 0.01},
 {"match": "*", "side": "current", "us": $2, "process_sd": 0.001, "sample_sd": 0.01},
 {"match": "*", "us": $2, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
}
# way FILE : how the sides were compared, and whether the base was built for it.
way() {
  python3 - "$1" <<'PY'
import json, sys
remark = next(one for one in json.load(open(sys.argv[1]))["facts"]["remarks"] if one["code"] == "compared_by")
print(remark["how"], remark.get("built", 0), remark.get("records", 1))
PY
}

both 100 100
commit "the base"
git checkout -qb change
both 100 103
commit "slower"
git checkout -q main && echo later >later && commit "main goes on" && git checkout -q change
base=$(git merge-base main change)

# Nothing is stored and no build is known: the advice is to name one.
expect 4 run --against main
names --build
same "builds" "$(builds)" 0

# With a build, the base commit is measured beside this one.
expect 1 run --against main --build ./build.sh --output record.json --report json=slower.json
holds slower.json 'report["verdict"] == "regressed"' 'report["pairing"] == "process"' '1.025 < row()["ratio"] < 1.035' \
  "report['baseline']['revision']['commit'] == '$base'" \
  "report['current']['revision']['commit'] == '$(git rev-parse HEAD)'" 'row()["confirmation"]["confirmed"]'
same "the way" "$(way slower.json)" "process 1 1"
holds record.json 'report["revision"]["branch"] == "change"'
same "builds" "$(builds)" 1
no_trees_left

# The suite may name the build. Uncommitted changes are measured, and the record says so.
sed -i '2a build: ./build.sh' suite.yaml
commit "names its build"
both 100 100
expect 0 run --against main --report json=equal.json
holds equal.json 'report["verdict"] == "unchanged"' 'report["current"]["revision"]["dirty"]'
git checkout -q speed.json
same "builds" "$(builds)" 2

# A build that fails is told, and nothing is judged.
git checkout -q main && touch broken && commit "broken"
git checkout -qb late && git rm -q broken && commit "mended"
expect 2 run --against main --build ./build.sh
names --build "$(git rev-parse --short=10 main)"
git checkout -q main && git rm -q broken && commit "mended here"

# On the branch itself the first record passes and becomes the baseline, and a stored one needs no build.
expect 0 run --against main --build ./build.sh
expect 0 run --against main --build ./build.sh --report json=twice.json
same "the way" "$(way twice.json)" "stored 0 1"
git checkout -qb next
both 100 103
commit "slower"
expect 1 run --against main --build ./build.sh --report json=stored.json
same "the way" "$(way stored.json)" "stored 0 1"
same "builds" "$(builds)" 2

# A suite without plugins: the build has a program, which is kept and not made again. Launches are pooled.
git checkout -q main
git checkout -qb program
touch program
cat >built.yaml <<'YAML'
version: 2
name: built
build: ./build.sh
defaults: {sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [63]}}
YAML
both 100 100
commit "a program"
git checkout -qb faster
echo 1 >note && commit "no change"
built() { "$HARNESS" run built.yaml --device scripted:speed.json "$@"; }
for time in first second; do
  expect 0 built --against program --report json=$time.json
  same "the way, $time" "$(way $time.json)" "process 1 1"
done
same "builds" "$(builds)" 3
no_trees_left

# Records of the same code are pooled, and the report counts them.
sed -i 's/"us"/"identity": {"digest": "a"}, "us"/' speed.json
git checkout -q program && commit "launches that are known"
for _ in 1 2; do
  echo more >>note && commit "more"
  expect 0 built
done
git checkout -qb last && echo last >>note && commit "last"
expect 0 built --against program --measure all --report json=pooled.json
same "the way" "$(way pooled.json)" "stored 0 2"
finish
