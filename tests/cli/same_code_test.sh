#!/usr/bin/env bash
# `run` and `ab` agree on which CPU cases are identical: the code that a variant runs lies in a module, so neither a comment
# nor another line of the program changes its identity.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?the module of kernels}"

repository
printf '%s\n' '*.json' one/ other/ >>.gitignore
cat >suite.yaml <<'YAML'
version: 2
name: built
defaults: {sampling: {processes: 5, placements: 2, samples: 5, cache: hot, preheat: 0ms, timeout: 60s}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [64, 4096]}}
YAML
commit "a suite"

# Two builds of one source: their programs differ as by a comment, in the hash of what they were built from. A build is
# patched in place of that hash, or of any other text that its module of kernels holds.
# patched FILE FROM TO: the bytes, which keep their number.
patched() {
  python3 - "$@" <<'PY'
import sys
path, old, new = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
text = open(path, "rb").read()
assert len(old) == len(new) and old in text, (path, old)
open(path, "wb").write(text.replace(old, new))
PY
}
for folder in one other; do
  mkdir -p $folder/bin $folder/lib
  cp "$HARNESS" $folder/bin/harness
  cp "$KERNELS" $folder/lib/libharness_kernels.so
done
patched other/bin/harness "Check whether this machine can measure" "Check whether that machine can measure"
! cmp -s one/bin/harness other/bin/harness || problem "the programs are the same"
by() { local build=$1; shift; "$build/bin/harness" "$@" --color never; }
both() {  # VERDICT: what `run` and `ab` say of all cases
  rm -rf .harness
  expect 0 by one run suite.yaml --device cpu
  echo "$RANDOM" >number && commit "another commit"
  expect "0 1 3" by other run suite.yaml --device cpu --against HEAD~1 --no-confirm --report json=run.json
  expect "0 1 3" by one ab suite.yaml --baseline-build one --current-build other --device cpu --no-confirm --report json=ab.json
  holds run.json "len(report['cases']) > 0" "all((row['verdict'] == 'identical') == $1 for row in report['cases'] if row['metric'] == 'wall_time')"
  holds ab.json "all((row['verdict'] == 'identical') == $1 for row in report['cases'] if row['metric'] == 'wall_time')"
}
both True
patched other/lib/libharness_kernels.so "built-in kernels" "built-in Kernels"
both False
finish
