#!/usr/bin/env bash
# `ab` looks at both builds before it measures, as a run does: see identity_test.sh.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KERNELS:?}"

repository
echo '*.json' >>.gitignore
commit "nothing"

# In one process or in turn.
cat >built.yaml <<'YAML'
version: 2
name: built
defaults: {sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}}
cases:
  - {workload: probe_copy, variants: [memcpy], axes: {n: [63, 127]}}
YAML
two_builds
# both BASELINE_US CURRENT_DIGEST CURRENT_US [FRESH_US] : of n=63; n=127 is the same in both builds.
both() {
  python3 - "$@" <<'PY'
import json, sys
before, digest, after, fresh = float(sys.argv[1]), sys.argv[2], float(sys.argv[3]), float(sys.argv[-1])
case = lambda us, n, side, digest: {"match": "*/n=%s" % n, "side": side, "process_us": us, "alone_us": us[0], "sample_sd": 0.001, "identity": {"digest": digest}}
json.dump({"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
  case([before], 63, "baseline", "a"), case([after] * 5 + [fresh] * 498, 63, "current", digest),
  {"match": "*", "us": 50, "identity": {"digest": "c"}}]}, open("both.json", "w"))
PY
}
ab() { "$HARNESS" ab built.yaml --baseline-build one --current-build other --device scripted:both.json --color never "$@"; }
for pair in process session; do
  both 100 a 104
  expect 0 ab --pair $pair --report json=ab.json
  holds ab.json 'report["verdict"] == "identical"' 'all(row["processes"] == [0, 0] for row in report["cases"])'
done
both 100 b 100
expect 0 ab --report json=ab.json
holds ab.json 'row("n=63")["processes"] == [5, 5]' 'row("n=127")["verdict"] == "identical"' 'row("n=127")["processes"] == [0, 0]'
expect 0 ab --measure all --report json=ab.json
holds ab.json 'row("n=127")["verdict"] == "identical"' 'row("n=127")["processes"] == [5, 5]'
both 100 b 104
expect 1 ab --report json=ab.json
holds ab.json 'row("n=63")["confirmation"]["confirmed"]' 'row("n=63")["confirmation"]["fresh"]["processes"] == 5'
expect 1 ab --no-confirm --report json=ab.json
holds ab.json 'row("n=63")["confirmation"] is None'
both 100 b 104 100
expect 3 ab --report json=ab.json
holds ab.json 'row("n=63")["reason_fact"]["code"] == "not_confirmed"'

# A base commit is built once. A commit is measured in its own tree, which therefore has the script.
cat >build.sh <<SH
#!/bin/sh
echo built >>"$scratch/builds"
mkdir -p build/release/bin build/release/lib
cp "$HARNESS" build/release/bin/harness
cp "$KERNELS" build/release/lib/libharness_kernels.so
SH
chmod +x build.sh && printf '%s\n' build/ one/ other/ '!both.json' >>.gitignore
both 100 a 100
commit "with a build"
commits() { "$HARNESS" ab built.yaml --baseline HEAD --current HEAD --build ./build.sh --device scripted:both.json; }
expect 0 commits
expect 0 commits
same "the commit was built" "$(wc -l <"$scratch/builds")" 1
no_trees_left
finish
