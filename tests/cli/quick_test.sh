#!/usr/bin/env bash
# Conveniences of a run: --quick, --set, regular expressions, --watch.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right also_right
speeds 100 && commit "one"

# A quick run is shown, and leaves nothing to be judged or to judge by.
expect 0 run --quick --report json=quick.json
holds quick.json 'all(one["processes"] == 1 for one in report["cases"])'
absent .harness
sed -i 's/preheat: 0ms/preheat: 300ms/' suite.yaml
expect 0 run --quick
git checkout -q suite.yaml
for other in --against=main --continue --save-as=x --output=x.json; do
  expect 2 run --quick $other
  names --quick "${other%=*}"
done
absent x.json
expect 0 run --quick --processes 2 --report json=quick.json
holds quick.json 'all(one["processes"] == 2 for one in report["cases"])'

# Other values of an axis.
expect 0 run --set n=32,128 --output set.json
holds set.json 'sorted({one["id"].split("/")[-1] for one in report["cases"]}) == ["n=128", "n=32"]' 'report["partial"]'
expect 0 run --set n=32 --output set.json
holds set.json 'len(report["cases"]) == 2'
expect 0 run --set n=32 --against set.json
expect 2 run --set m=32
names --set 'n'
expect 2 run --set n
names --set
expect 2 run --set n=many
names --set 'many'
cat >several.yaml <<'YAML'
version: 2
name: several
modules: [./plugin.so]
cases:
  - workload: twice
    variants: [right]
    zip: [{n: 64}, {n: 128}]
    overrides: [{match: {n: 128}, sampling: {samples: 30}}]
  - workload: twice
    variants: [right, also_right]
    axes: {n: [256]}
YAML
expect 0 "$HARNESS" list several.yaml --device cpu --set n=16 --report json=plan.json
holds plan.json 'sorted(one["case"] for one in report["cases"]) == ["twice/also_right/n=16", "twice/right/n=16"]'

# Regular expressions.
filtered() { "$HARNESS" list suite.yaml --device cpu --report json=plan.json "$@"; }
expect 0 filtered --filter '/^twice\/(right|wrong)\/n=\d+$/'
holds plan.json '[one["case"] for one in report["cases"]] == ["twice/right/n=64"]'
expect 0 filtered --filter '!/also_/'
holds plan.json '[one["case"] for one in report["cases"]] == ["twice/right/n=64"]'
expect 2 filtered --filter '/(/'
names --filter '/(/'
expect 2 filtered --filter '/nothing/'

# It measures again when a file has changed, and ends by Ctrl-C.
touch watched
count() { [ "$(grep -c 'watching watched' "$scratch/said" 2>/dev/null)" -ge "$1" ]; }
setsid "$HARNESS" run suite.yaml --device scripted:speed.json --watch watched >"$scratch/said" 2>&1 </dev/null &
watcher=$!
eventually count 1
echo changed >watched
eventually count 2
kill -INT "$watcher"
wait "$watcher" || problem "exit status $? of a watch that was ended"
expect 0 "$HARNESS" records list --report json=list.json
holds list.json 'len([one for one in report["records"] if not one["partial"]]) == 2'
finish
