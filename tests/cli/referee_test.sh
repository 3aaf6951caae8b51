#!/usr/bin/env bash
# The referee: verdicts about correctness, faults of both builds, what cannot be judged, and its report.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

: "${REFEREE_PLUGIN:?path of a module that is any build by its name}"
for way in honest part crashes hangs no_variant; do cp "$REFEREE_PLUGIN" "$way.so"; done
suite() {
  cat >line.yaml <<YAML
version: 2
name: line
modules: [./honest.so]
defaults:
  sampling: {timeout: $1}
cases:
  - {workload: line, variants: [work], axes: {n: [1000, 4096]}}
YAML
}
suite 20s
judge() { "$HARNESS" referee line.yaml --device cpu --baseline-build "$1" --current-build "$2" "${@:3}"; }

# Real times decide between 0, 1 and 3.
expect "0 1 3" judge honest.so honest.so --report json=honest.json
holds honest.json 'len(report["cases"]) == 2' 'all(one["checked"] >= 250 for one in report["cases"])' \
  'all("reason" not in one for one in report["cases"])' 'report["baseline"] == "honest.so"' \
  'report["format"] == "harness-referee"'

expect 5 judge honest.so part.so --filter '*n=1000' --report json=part.json,junit=part.xml
holds part.json 'row()["ruling"] == "incorrect"' 'row()["build"] == "current"' 'row()["ratio"] is None'
holds part.xml 'len(report.findall(".//error")) == 1'
expect 5 judge honest.so crashes.so --filter '*n=1000' --report json=crashes.json
holds crashes.json 'row()["ruling"] == "failed"' 'row()["reason"]["code"] == "crashed"'
expect 4 judge crashes.so honest.so --filter '*n=1000' --report json=crashes.json
holds crashes.json 'row()["ruling"] == "unjudged"' 'row()["build"] == "baseline"'
expect 4 judge honest.so no_variant.so --filter '*n=1000'
suite 500ms
expect 5 judge honest.so hangs.so --filter '*n=1000' --report json=hangs.json
holds hangs.json 'row()["reason"]["code"] == "timed_out"'
suite 20s

# Folders with lib/ are builds, too. Their plugins are those of the suite.
mkdir -p old/lib new/lib
cp "$KERNELS" old/lib/libharness_kernels.so
cp "$KERNELS" new/lib/libharness_kernels.so
expect "0 1 3" judge old new --filter '*n=1000' --report json=folders.json
holds folders.json 'row()["checked"] >= 250'

expect 2 judge honest.so nowhere.so
expect 2 judge honest.so .
names lib/libharness_kernels.so
expect 2 judge honest.so part.so --budget 0s
names --budget
eventually has_no_worker
finish
