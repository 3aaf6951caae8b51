#!/usr/bin/env bash
# --profile: the calls alone, for a profiler; and hardware counters of a record.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repository
suite right
speeds 100 && commit "a commit"

expect 0 run --profile
names twice/right/n=64
absent .harness

# On the CPU for real, and only what is asked for.
expect 0 "$HARNESS" run suite.yaml --device cpu --profile --filter '*right*'
names twice/right/n=64
expect 2 "$HARNESS" run suite.yaml --device cpu --profile --filter 'none'

# It goes with nothing that is about results.
for option in "--against main" "--output x.json" --continue --require-gpu "--commit HEAD"; do
  # shellcheck disable=SC2086
  expect 2 run --profile $option
  names --profile "${option%% *}"
done

# A case that fails is a failure here too.
suite throws
expect 5 run --profile
names twice/throws/n=64

# Hardware counters: a series of the record where the device tells them, a reason where it does not.
cat >suite.yaml <<YAML
version: 2
name: counted
modules: [./plugin.so]
defaults:
  sampling: {processes: 5, placements: 2, samples: 5, cache: hot, preheat: 0ms, timeout: 5s}
cases:
  - workload: twice
    variants: [right]
    axes: {n: [64]}
    metrics: [time, dram__bytes_read.sum, dram__bytes_write.sum, sm__cycles_elapsed.max]
YAML
cat >speed.json <<JSON
{"version": 1, "default": {"us": 20,
 "kernels": [{"name": "twice", "launches": 3, "us": 5}],
 "counters": [{"name": "dram__bytes_read.sum", "value": 600, "unit": "bytes"},
              {"name": "dram__bytes_write.sum", "value": 424, "unit": "bytes"},
              {"name": "sm__cycles_elapsed.max", "missing": "counters are for administrators here"}]}}
JSON
expect 0 run --output counted.json
names dram__bytes_read.sum sm__cycles_elapsed.max 600 424
says "counters are for administrators here"  # what the device said
holds counted.json '"dram__bytes_read.sum" in [one["metric"] for one in row()["metrics"]]' \
  '"sm__cycles_elapsed.max" not in [one["metric"] for one in row()["metrics"]]'

# More bytes explain; they do not decide.
sed 's/"value": 600/"value": 900/' speed.json >more.json
expect 0 "$HARNESS" run suite.yaml --device scripted:more.json --output more-counted.json
expect 0 "$HARNESS" compare --baseline counted.json --current more-counted.json
names dram__bytes_read.sum

sed -i 's/dram__bytes_read.sum/dram__bytes_read/' suite.yaml
expect 2 run
names dram__bytes_read.sum

finish
