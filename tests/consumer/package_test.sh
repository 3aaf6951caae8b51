#!/usr/bin/env bash
# The package door: installs the built tree, builds tests/consumer/project against what was installed
# and measures its plugin with the installed program, from folders that this tree knows nothing of.
# shellcheck source=tests/consumer/lib.sh
. "$(dirname "$0")/lib.sh"
: "${HARNESS:?the built program, or none}" "${BUILD:?folder of the build to install}" "${COMPILER:?the C++ compiler of that build}"

component=()
[ "$HARNESS" != none ] || component=(--component sdk)  # nothing else is built yet
expect 0 cmake --install "$BUILD" --prefix "$work/prefix" "${component[@]}"
mv "$work/prefix" "$work/moved"  # a package must not remember where it was installed first
prefix=$work/moved
if grep -rIl -- "$BUILD" "$prefix" | grep -q .; then
  problem "installed files name the build folder: $(grep -rIl -- "$BUILD" "$prefix")"
fi

cp -r "$here/project" "$work/project"
expect 0 cmake -S "$work/project" -B "$work/project/build" -DCMAKE_BUILD_TYPE=Release \
  "-DCMAKE_CXX_COMPILER=$COMPILER" "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" "-DCMAKE_PREFIX_PATH=$prefix"
expect 0 cmake --build "$work/project/build"
[ -f "$work/project/libaxpy_kernels.so" ] || problem "harness_add_module made no libaxpy_kernels.so"
if [ "$HARNESS" = none ]; then
  finish
fi

harness=$prefix/bin/harness
[ -f "$prefix/share/harness/suite.schema.json" ] || problem "the schema is not installed"
[ -f "$prefix/share/harness/ci/judge.sh" ] || problem "the script that judges is not installed"
expect 0 "$harness" list project/good.yaml
names axpy/loop/n=1000
expect 0 "$harness" run project/good.yaml --store good.db --output good.json
names axpy/loop/n=1000
python3 - <<'PY' || problem "the record does not hold what the plugin reports"
import json
case = json.load(open("good.json"))["cases"][0]
metrics = {one["metric"]: one for one in case["metrics"]}
assert list(metrics) == ["wall_time", "first_call", "error", "exact", "chunk"], list(metrics)
values = {name: [process["placements"][0]["samples"] for process in one["processes"]] for name, one in metrics.items()}
assert values["chunk"] == [[1]] * 3, values["chunk"]
assert all(0 < value <= 100 for [value] in values["exact"]), values["exact"]
assert all(0 < value < 1e-6 for [value] in values["error"]), values["error"]
assert metrics["exact"]["unit"] == "%" and metrics["exact"]["direction"] == "higher"
assert case["items"] == 1000 and case["item_name"] == "elements"
result = case["results"][0]
phases = [one for one in result["phases"] if not one.startswith("audit")]
assert phases == ["process_start", "process_fingerprint", "process_preheat", "construct", "inputs", "allocate", "first_call", "verify", "identify", "warm_up", "sampling", "report", "look", "other"], phases
# Each other process is audited with a chance of its own, too.
assert any("audit" in one["phases"] for one in case["results"]), "one of three processes is audited"
assert metrics["wall_time"]["processes"][0]["placements"][0]["started"] > 1.7e9
PY
sed 's/exact, chunk/exact, chunks/' project/good.yaml >project/misspelled.yaml
expect 2 "$harness" list project/misspelled.yaml
names misspelled.yaml:9: chunk axpy
expect 5 "$harness" run project/broken.yaml --store broken.db --report json=broken.json
holds broken.json 'row("axpy/forgets_the_tail/n=1000")["outcome"] == "incorrect"'
finish
