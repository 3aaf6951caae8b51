#!/usr/bin/env bash
# No output replaces what the command works from, whatever name leads there.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
cat >waivers.yaml <<'YAML'
version: 1
waivers:
  - {pattern: "twice/*", ceiling: 9%, expires: 2999-12-31, reason: known}
YAML
speeds 100 && commit "fast"
expect 0 run --output fast.json
speeds 104 && commit "slower"
expect 0 run --output slow.json
ln -s fast.json linked.json
ln fast.json hard.json
ln -s .harness folder
ln -s .harness/results.db-wal dangling
cp "$data/h200/same.jsonl" samples.jsonl
mkdir saved
cp fast.json slow.json suite.yaml speed.json waivers.yaml samples.jsonl plugin.so .harness/results.db saved

# spares FILE COMMAND... : refused at once, with the file that it would have replaced.
spares() {
  local file=$1
  shift
  expect 2 "$@"
  cmp -s "$file" "saved/$(basename "$file")" || problem "$file was replaced: $*"
}
compare() { "$HARNESS" compare --baseline fast.json --current slow.json "$@"; }

for name in fast.json ./fast.json "$work/fast.json" linked.json hard.json; do
  spares fast.json compare --report json="$name"
done
spares slow.json compare --report markdown=a.md,json=slow.json
absent a.md
for name in .harness/results.db folder/results.db .harness/results.db-wal .harness/results.db-shm dangling; do
  spares .harness/results.db compare --report json=$name
done
spares .harness/results.db compare --store sqlite:.harness/results.db --report json=.harness/results.db
spares waivers.yaml compare --report json=waivers.yaml
spares waivers.yaml compare --waivers ./waivers.yaml --report json=waivers.yaml
spares suite.yaml run --report json=suite.yaml
spares suite.yaml run --output suite.yaml
spares speed.json run --report json=speed.json
spares plugin.so run --report json=plugin.so
spares waivers.yaml run --report json=waivers.yaml
spares fast.json run --against fast.json --output linked.json
spares .harness/results.db run --output .harness/results.db
spares suite.yaml "$HARNESS" list suite.yaml --report json=suite.yaml
spares slow.json "$HARNESS" report slow.json --output slow.json
spares fast.json "$HARNESS" report slow.json --baseline fast.json --report json=fast.json
spares waivers.yaml "$HARNESS" report slow.json --baseline fast.json --report json=waivers.yaml
spares .harness/results.db "$HARNESS" history --report json=.harness/results.db
spares suite.yaml "$HARNESS" bisect suite.yaml --good HEAD~1 --report json=suite.yaml
spares suite.yaml "$HARNESS" calibrate suite.yaml --device scripted:speed.json --report json=suite.yaml
spares samples.jsonl "$HARNESS" calibrate --from samples.jsonl --report json=samples.jsonl
spares samples.jsonl "$HARNESS" import samples.jsonl --as ./samples.jsonl
spares slow.json "$HARNESS" plot slow.json --kind ecdf --png --output slow.json
spares fast.json "$HARNESS" plot slow.json --baseline fast.json --kind interval --png --output hard.json
spares .harness/results.db "$HARNESS" plot slow.json --kind ecdf --png --output .harness/results.db
expect 2 "$HARNESS" plot slow.json --kind ecdf --output suite.yaml
cmp -s suite.yaml saved/suite.yaml || problem "a plot replaced the suite"

# The first run, before there is a store.
rm -r .harness
expect 2 run --report json=.harness/results.db
absent .harness

# A file that is written twice is no input.
expect 0 compare --report json=verdict.json
expect 0 compare --report json=verdict.json

# Names of files that are not there are slips, told with what was meant.
expect 2 "$HARNESS" compare --baseline fast.json --current slwo.json
names slwo.json slow.json
expect 2 "$HARNESS" report nothing-like-it.json
names nothing-like-it.json
expect 2 "$HARNESS" explain 'twice/*' --comparison nope.json
names nope.json --report json=FILE
echo '<!doctype html><p>verdict' >verdict.html
expect 2 "$HARNESS" explain 'twice/*' --comparison verdict.html
names verdict.html --report json=FILE
expect 2 "$HARNESS" explain 'twice/*' --comparison slow.json
names --report json=FILE
expect 2 "$HARNESS" compare --baseline nothing-like-it.json --current slow.json
finish
