#!/usr/bin/env bash
# A plug-in in plain C: measured, verified, proven identical, compared; and mistakes, with the file and advice.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

git init -q -b main .
printf '%s\n' .harness/ '*.so' '*.json' '!speed.json' >.gitignore
mkdir -p "$scratch/include/harness" && ln -s "$tests/../harness/sdk" "$scratch/include/harness/sdk"
export CPATH=$scratch/include
cp "$tests/../examples/c_plugin/scale.c" .
compile="${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -O1 -shared -fPIC scale.c -o libscale.so"
cat >suite.yaml <<YAML
version: 2
name: c
modules: [./libscale.so]
build: $compile
defaults:
  sampling: {processes: 5, placements: 2, samples: 10, cache: hot, preheat: 0ms, timeout: 20s}
cases:
  - {workload: scale, variants: [loop, by_four], axes: {n: [64, 1001]}}
YAML
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*/loop/*", "us": 100, "process_sd": 0.01, "sample_sd": 0.003},
 {"match": "*", "side": "baseline", "us": 100, "process_sd": 0.01, "sample_sd": 0.003},
 {"match": "*", "side": "current", "us": 120, "process_sd": 0.01, "sample_sd": 0.003}]}
JSON
git add -A && git commit -qm "as it was"
expect 0 bash -c "$compile"

expect 0 "$HARNESS" run suite.yaml --device cpu --report json=run.json
holds run.json 'row("scale/loop/n=1001")["outcome"] == "measured"' \
  'row("scale/by_four/n=64")["outcome"] == "measured"' \
  'row("scale/by_four/n=1001")["outcome"] == "skipped"'

# The same code is proven identical, by its machine code.
sed -i '1i /* the same machine code */' scale.c
git commit -qam "a comment"
expect 0 "$HARNESS" ab suite.yaml --baseline HEAD~1 --device cpu --filter 'scale/loop/*' --report json=same.json
holds same.json 'report["verdict"] == "identical"' 'row("scale/loop/n=64")["processes"] == [0, 0]'

# Other code is measured in one process with the baseline's. A fifth more work is told apart.
sed -i 's/i += 4) {/i += 4) { if (i % 20 == 0) y[i] = 3 * x[i];/' scale.c
git commit -qam "a fifth more work"
expect 1 "$HARNESS" ab suite.yaml --baseline HEAD~1 --pair process --device scripted:speed.json --report json=ab.json
holds ab.json 'report["verdict"] == "regressed"' 'report["pairing"] == "process"' \
  'row("scale/by_four/n=64")["verdict"] == "regressed"' 'row("scale/loop/n=64")["verdict"] == "unchanged"'

# A wrong result is found.
sed -i 's/y\[i\] = 3 \* x\[i\];$/y[i] = 2 * x[i];/' scale.c
expect 0 bash -c "$compile"
expect 5 "$HARNESS" run suite.yaml --device cpu --report json=wrong.json
holds wrong.json 'row("scale/loop/n=64")["outcome"] == "incorrect"'

# mistaken EDIT NAME...: with this edit of the source, the error names these.
mistaken() {
  git checkout -q -- scale.c
  sed -i "$1" scale.c
  shift
  expect 0 bash -c "${compile/-Werror/}"
  expect 2 "$HARNESS" list suite.yaml
  names "$@"
}
# The plug-in itself: the line that names it, and its path.
mistaken 's/int harness_run(/int other_run(/' suite.yaml:3: libscale.so harness_run harness/sdk/plugin.h
mistaken 's/ HARNESS_PLUGIN_VERSION,/ 99,/; s/{HARNESS_PLUGIN_VERSION,/{99,/' suite.yaml:3: libscale.so 99 harness/sdk/plugin.h
mistaken 's/"scale", "y = 3 x"/NULL, "y = 3 x"/' suite.yaml:3: libscale.so null
mistaken 's/parameters, variants, NULL/parameters, NULL, NULL/' harness_plugin
mistaken 's/"loop", "cpu"/"loop", NULL/' loop null
# A function that fails says why, or is named.
mistaken 's/problem->tensor_count = 2;/return 7;/' harness_tensors 7
mistaken 's/if (made == NULL) {/if (request->values[0].integer > 64) {/' memory
finish
