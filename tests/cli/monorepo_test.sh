#!/usr/bin/env bash
# Packages of a monorepo whose suites have one name: each is judged by its own records.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. "$(dirname "$0")/lib.sh"
repository
for package in a b; do
  mkdir -p $package/suites
  suite right
  sed 's/name: demo/name: bench/; s|\./plugin|../../plugin|' suite.yaml >$package/suites/bench.yaml
done
cp suite.yaml other.yaml  # of another name; a suite without a namesake keeps its own
sed -i 's/name: demo/name: single/' other.yaml
rm suite.yaml
measured() { (cd "$1" && "$HARNESS" run suites/bench.yaml --device "scripted:$work/speed.json" "${@:2}") >"$printed" 2>&1; }
speeds 100
commit "two packages"
measured a || problem "a: $(cat "$printed")"
speeds 300
commit "slower, for b as ever"
measured b || problem "b: $(cat "$printed")"
expect 0 "$HARNESS" run other.yaml --device scripted:speed.json
expect 0 "$HARNESS" records list
names a.bench b.bench single

# The times of b are no news of a.
git checkout -q -b change
git commit -q --allow-empty -m "a change"
measured b --against main || problem "b is judged by another's record: $(cat "$printed")"
speeds 100
commit "the speed of a"
measured a --against main || problem "a is judged by another's record: $(cat "$printed")"
expect 0 "$HARNESS" compare --baseline main --current HEAD --suite a/suites/bench.yaml
names a.bench
expect 4 "$HARNESS" compare --baseline main --current HEAD --suite bench  # no such suite has a record
# A copy in the same package, and a suite at the top, keep their names.
cp a/suites/bench.yaml a/suites/quick.yaml
sed 's|../../plugin|./plugin|' a/suites/bench.yaml >bench.yaml
commit "two more suites of that name"
(cd a && "$HARNESS" run suites/quick.yaml --device "scripted:$work/speed.json") >"$printed" 2>&1 || problem "quick: $(cat "$printed")"
expect 0 "$HARNESS" run bench.yaml --device scripted:speed.json --output top.json
holds top.json 'report["suite"]["name"] == "bench"'
expect 0 "$HARNESS" records list
names a.bench b.bench
finish
