#!/usr/bin/env bash
# mistakes_test.sh TABLE: each line of the table is a mistake with its exit status, what the message must name, the advice
# followed, and the status of that (0 unless given).
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

repository
printf '%s\n' '*.json' '!speed.json' '*.db' '*.svg' below/ >>.gitignore
mkdir suites below
suite right
sed 's#./plugin.so#../plugin.so#' suite.yaml >suites/demo.yaml
sed 's/\[right\]/[rigth]/' suite.yaml >variant.yaml
sed 's/workload: twice/workload: twcie/' suite.yaml >workload.yaml
sed 's/variants:/varients:/' suite.yaml >key.yaml
sed 's/processes: 5/processes: many/' suite.yaml >number.yaml
sed 's/cache: hot/cache: hto/' suite.yaml >choice.yaml
sed 's/n: \[64\]/n: [9000000000000000]/' suite.yaml >huge.yaml
sed 's/n: \[64\]/m: [64]/' suite.yaml >axis.yaml
sed 's#./plugin.so#./plugni.so#' suite.yaml >plugin.yaml
sed 's/version: 2/version: 9/' suite.yaml >version.yaml
sed 's/variants: \[/variants [/' suite.yaml >colon.yaml
sed 's/workload: twice/workload: something/' suite.yaml >other.yaml
cp suite.yaml claimed.yaml
printf '%s\n' 'claims:' '  - {says: it is fast, source: a test, of: "twcie/*", value: "<= 1"}' >>claimed.yaml
echo "margin: 5" >>key.yaml
sed 's/workload: twice/workload: tiled/; s/\[right\]/[blocks]/' suite.yaml >tuned.yaml
cp tuned.yaml once.yaml && cp tuned.yaml twice.yaml
echo "    tune: {tile: [8, 16]}" >>tuned.yaml
echo "    tune: {tile: 8}" >>once.yaml
echo "    tune: {tile: [8, 16], n: [64, 128]}" >>twice.yaml
seq -f 'words %g' 200 >README.md
: >empty.jsonl
git init -q "$scratch/elsewhere" && git -C "$scratch/elsewhere" commit -q --allow-empty -m "nothing" && git -C "$scratch/elsewhere" branch -m main
scripted_device
speeds 100 && commit "one"
git tag v1.2
expect 0 harness run suite.yaml --output a.json --save-as before
expect 0 harness run suite.yaml --save-as before
speeds 104 && git commit -qam "two"
expect 0 harness run suite.yaml --output b.json
expect 0 harness run suite.yaml
id=$(harness records list --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["records"][0]["id"])')
export id data scratch work

trimmed() { sed 's/^ *//; s/ *$//' <<<"$1"; }
while IFS='|' read -r status mistake words followed works; do
  [[ -n $status && $status != \#* ]] || continue
  mistake=$(trimmed "$mistake") followed=$(trimmed "$followed")
  lines=$((${lines:-0} + 1))
  expect "$(trimmed "$status")" bash -c "$mistake"
  eval "named=($(trimmed "$words"))"
  # shellcheck disable=SC2154  # the line above sets it
  names "${named[@]}"
  same "errors of: $mistake" "$(grep -c '^error:\|: error:' "$printed")" 1
  [ -z "$followed" ] || expect "$(trimmed "${works:-0}")" bash -c "$followed"
done <"$here/$1"
echo "$lines mistakes"
no_trees_left
absent built
finish
