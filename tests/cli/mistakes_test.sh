#!/usr/bin/env bash
# Slips on the command line: what is wrong, whose fault it is, and advice that works.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
mkdir suites
suite right
cp suite.yaml suites/demo.yaml
sed -i 's#./plugin.so#../plugin.so#' suites/demo.yaml
speeds 100 && commit "one"
expect 0 run --output a.json
speeds 100 && git commit -q --allow-empty -m "two"
expect 0 run --output b.json

expect 2 "$HARNESS" compare a.json b.json
names --baseline a.json --current b.json
expect 2 "$HARNESS" compare b.json
names --current b.json
expect 2 "$HARNESS" compare --basline a.json
names --basline --baseline
expect 2 "$HARNESS" run demo
names suites/demo.yaml
expect 2 "$HARNESS" list suites/demo
names suites/demo.yaml
expect 0 "$HARNESS" list suites/demo.yaml --device cpu
mkdir below && cd below || exit 1
expect 2 "$HARNESS" list demo
names ../suites/demo.yaml
cd ..

expect 0 "$HARNESS" help
names compare records
expect 0 "$HARNESS" help run
names --against --save-as
expect 0 "$HARNESS" help baseline promote
names --author
expect 2 "$HARNESS" help rnu
names run

for option in --processes --placements --samples; do
  expect 2 run $option many
  names $option 'many'
  expect 2 run $option 0
  names $option 10000
done
expect 2 "$HARNESS" plot a.json --kind ecdf --width wide
names --width 'wide'
expect 2 "$HARNESS" compare --margin wide
names --margin 'wide'
expect 2 "$HARNESS" selftest --seed first
names --seed 'first'

# A typing error is blamed on the side that has it, although nothing is measured at HEAD.
git commit -q --allow-empty -m "three"
expect 2 "$HARNESS" compare --baseline mian
names --baseline 'mian' 'main'
expect 2 "$HARNESS" compare --current hda.json
names --current hda.json
expect 2 "$HARNESS" compare --baseline c.json
names --baseline c.json
expect 2 "$HARNESS" report --baseline mian
names --baseline 'mian'
expect 2 "$HARNESS" explain 'twice/*' --baseline mian
names --baseline 'mian'
expect 2 "$HARNESS" explain 'twice/*' --current haed
names --current 'haed'
expect 2 run --against mian
names --against 'mian'

bisect() { "$HARNESS" bisect suite.yaml --device scripted:speed.json --build 'touch built' --good HEAD~2 "$@"; }
expect 2 bisect --case nope
names --case 'nope'
expect 2 bisect --case right
names '*right*'
absent .harness/worktrees

echo "# Read me" >README.md
seq 200 >>README.md
sed -i 's/^/words /' README.md
expect 2 "$HARNESS" import README.md
names README.md
same "errors" "$(grep -c error: "$printed")" 1

sed 's/n: \[64\]/n: [9000000000000000]/' suite.yaml >huge.yaml
expect 2 "$HARNESS" list huge.yaml --device cpu
names huge.yaml 'x' 9000000000000000
expect 2 "$HARNESS" run huge.yaml --device cpu
finish
