#!/usr/bin/env bash
# suites/backends.yaml on the CPU: what runs without a package is measured and right, what lacks one is skipped.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
suite=$tests/../suites/backends.yaml

expect 0 "$HARNESS" list "$suite" --device cpu
names loops numpy cpu_eager cpu_onnxruntime
expect 0 "$HARNESS" run "$suite" --device cpu --processes 1 --report json=run.json
holds run.json \
  'all(row(f"{name}/loops/", "wall_time")["outcome"] == "measured" for name in ("mlp", "conv", "transformer"))' \
  'all(one["outcome"] in ("measured", "skipped") for one in report["cases"])' \
  'all("is not installed" in one["reason"] or "older than" in one["reason"] for one in report["cases"] if "=f32" in one["case"] and one["outcome"] == "skipped")' \
  'row("mlp/loops/", "setup_time")["center"] > 0' 'row("mlp/loops/", "wall_time")["first_call"] > 0'

# A backend that computes something else is incorrect.
cp -r "$tests/../kernels/backends" .
sed 's#\.\./kernels/backends#./backends#' "$suite" >suite.yaml
sed -i 's/into\[at\] = value$/into[at] = 1.1 * value/' backends/backends.py
expect 5 "$HARNESS" run suite.yaml --device cpu --processes 1 --filter '*/loops/*' --report json=wrong.json
holds wrong.json 'all(one["outcome"] == "incorrect" for one in report["cases"])'
finish
