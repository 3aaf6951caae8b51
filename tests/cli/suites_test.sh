#!/usr/bin/env bash
# Several suites: run one after the other, recorded at one commit, and judged together.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
mkdir suites
for name in alpha beta; do
  suite right
  sed "s/^name: demo/name: $name/; s#\./plugin.so#../plugin.so#" suite.yaml >suites/$name.yaml
done
rm suite.yaml
# The scripted device tells the two suites apart by their sizes.
sed -i 's/n: \[64\]/n: [32]/' suites/beta.yaml
slower() {  # slower ALPHA BETA: microseconds
  cat >speed.json <<JSON
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A",
 "cases": [{"match": "*/n=64", "us": $1, "process_sd": 0.001, "sample_sd": 0.01},
           {"match": "*", "us": $2, "process_sd": 0.001, "sample_sd": 0.01}]}
JSON
}
measure() { "$HARNESS" run "$@" --device scripted:speed.json; }
slower 100 100
commit "both suites"

# A run of several suites: a table each, one summary, all of them in the files.
expect 0 measure suites/*.yaml --save-as before --report json=run.json,junit=run.xml,csv=run.csv,markdown=run.md,html=run.html
names n=64 n=32
holds run.json 'report["format"] == "harness-reports"' 'report["exit_code"] == 0' \
  '[one["suite"]["name"] for one in report["reports"]] == ["alpha", "beta"]'
[ "$(grep -c '<testsuite ' run.xml)" -eq 2 ] || problem "not a test suite each: $(cat run.xml)"
{ grep -q '^suite,table' run.csv && grep -q '^beta,' run.csv; } || problem "run.csv does not tell the suites"
{ grep -q alpha run.md && grep -q beta run.md; } || problem "run.md lacks a suite"
[ -s run.html ] || problem "no page"
# ... of one suite it is what it always was.
expect 0 measure suites/alpha.yaml --report json=one.json
holds one.json 'report["format"] == "harness-run-report"'
silent_about "1 suite"

# Options of one record, and a slip in a later suite, are told before anything is measured.
expect 2 measure suites/*.yaml --output both.json
names --output
expect 2 measure suites/*.yaml --continue
expect 2 measure suites/alpha.yaml suites/gamma.yaml
names gamma
silent_about n=64

# Filters select from all suites together.
expect 0 measure suites/*.yaml --filter '*/n=32' --filter '!*/n=64' --store filtered.db
names suites/alpha.yaml n=32
silent_about n=64
expect 2 measure suites/*.yaml --filter '*/n=32' --filter '*/n=33' --store filtered.db
names n=33
expect 2 measure suites/*.yaml --filter '*/n=32' --filter '!*/n=*' --store filtered.db
expect 2 measure suites/alpha.yaml --filter '*/n=32' --store filtered.db
names n=32

# One of the two becomes slower: both are judged, and the worst counts.
git checkout -qb change
slower 100 104
commit "beta is slower"
expect 0 measure suites/*.yaml --save-as after
expect 1 "$HARNESS" compare --baseline main --current HEAD --report json=both.json,junit=both.xml
names alpha beta
holds both.json 'report["exit_code"] == 1' \
  '{one["suite"]: one["verdict"] for one in report["reports"]} == {"alpha": "unchanged", "beta": "regressed"}'
[ "$(grep -c '<testsuite ' both.xml)" -eq 2 ] || problem "not a test suite each: $(cat both.xml)"
expect 1 measure suites/*.yaml --against main --report json=against.json
holds against.json '[one["exit_code"] for one in report["reports"]] == [0, 1]'

# A name that was given to several suites means all of them.
for current in HEAD @after; do
  expect 1 "$HARNESS" compare --baseline @before --current $current --report json=named.json
  holds named.json '{one["suite"]: one["verdict"] for one in report["reports"]} == {"alpha": "unchanged", "beta": "regressed"}'
done
expect 0 "$HARNESS" compare --baseline @before --current @after --suite alpha
expect 0 "$HARNESS" report @after
names n=64 n=32

# --suite takes the name and the path.
for alpha in alpha suites/alpha.yaml; do
  expect 0 "$HARNESS" compare --baseline main --current HEAD --suite $alpha --report json=alpha.json
  holds alpha.json 'report["format"] == "harness-comparison"' 'report["suite"] == "alpha"'
  expect 0 "$HARNESS" report --suite $alpha
  expect 0 "$HARNESS" explain '*' --suite $alpha
  expect 0 "$HARNESS" table --suite $alpha
  expect 0 "$HARNESS" history --suite $alpha
done
expect 2 "$HARNESS" compare --suite suites/gamma.yaml
names suites/gamma.yaml
expect 4 "$HARNESS" compare --suite gamma

# The other commands that read HEAD.
expect 0 "$HARNESS" report
names n=64 n=32
expect 2 "$HARNESS" report --output one.json
names --suite
expect 0 "$HARNESS" report --baseline main --report json=told.json
holds told.json '[one["suite"] for one in report["reports"]] == ["alpha", "beta"]'
expect 0 "$HARNESS" table
names alpha beta
expect 0 "$HARNESS" table --filter '*/n=32'
silent_about alpha
expect 0 "$HARNESS" explain '*/n=32' --report json=explained.json
names regressed
holds explained.json 'report["format"] == "harness-explanation"'
expect 0 "$HARNESS" explain '*/n=32' --comparison both.json
names regressed
expect 2 "$HARNESS" explain '*/n=33'
names n=32
expect 0 "$HARNESS" baseline promote HEAD --author tester --reason both
expect 0 "$HARNESS" baseline list
names scripted/alpha scripted/beta

# A baseline that is one record judges its suite alone.
expect 0 "$HARNESS" report main --suite alpha --output alpha.json
expect 0 "$HARNESS" compare --baseline alpha.json --current HEAD --report json=named.json
holds named.json 'report["suite"] == "alpha"'

# The worst of a missing baseline and a regression is the regression; an error of one suite hides no other.
expect 1 "$HARNESS" compare --baseline main --current HEAD --margin 1%
sed 's/name: beta/name: delta/; s/n: \[32\]/n: [16]/' suites/beta.yaml >suites/delta.yaml
expect 4 measure suites/alpha.yaml suites/delta.yaml --against main --report json=new.json
holds new.json '[one["exit_code"] for one in report["reports"]] == [0, 4]'
expect 1 measure suites/*.yaml --against main

# A/B of several suites. An error of one hides no other.
git add -A && git commit -qm "delta"
ab() {
  "$HARNESS" ab "$@" --baseline main --build "cp $PLUGIN plugin.so" --pair process --device scripted:speed.json --store ab.db
}
expect 0 ab suites/alpha.yaml suites/beta.yaml --report json=ab.json
holds ab.json '[one["suite"] for one in report["reports"]] == ["alpha", "beta"]'
expect 2 ab suites/delta.yaml suites/alpha.yaml --report json=ab.json
names suites/delta.yaml
holds ab.json 'report["exit_code"] == 2' 'report["reports"][1]["suite"] == "alpha"' \
  'report["reports"][1]["verdict"] == "unchanged"'

# Its filters and tags select from all suites together, too.
rm ab.db
expect 2 ab suites/alpha.yaml suites/beta.yaml --filter '*/n=32' --filter '*/n=33'
names n=33
expect 2 ab suites/alpha.yaml suites/beta.yaml --tag large
names large
expect 2 ab suites/alpha.yaml suites/beta.yaml --filter '*/n=32' --filter '!*/n=*'
expect 2 ab suites/alpha.yaml --filter '*/n=32'
names n=32
same "what a refused A/B run stored" "$(results ab.db)" 0
expect 0 ab suites/alpha.yaml suites/beta.yaml --filter '*/n=32' --filter '!*/n=64' --report json=ab.json
names suites/alpha.yaml
silent_about n=64
holds ab.json 'report["suite"] == "beta"' '[row["case"] for row in report["cases"]] == ["twice/right/n=32"]'
# A suite that cannot be planned might have such a case, so that only its own error counts.
expect 2 ab suites/alpha.yaml suites/delta.yaml --filter '*/n=16' --report json=ab.json
names suites/alpha.yaml suites/delta.yaml
silent_about "n=16"
# A case that only one side has is missing on the other.
sed -i 's/n: \[32\]/n: [32, 48]/' suites/beta.yaml
commit "another size"
expect 4 ab suites/alpha.yaml suites/beta.yaml --filter '*/n=48' --report json=ab.json
names suites/alpha.yaml
holds ab.json 'report["suite"] == "beta"' 'row("n=48")["verdict"] == "missing"'
finish
