#!/usr/bin/env bash
# A/B of an outside project: two commits of the plugin in tests/consumer/project, built by its own CMake in
# worktrees, loaded side by side into one process. Time is scripted where a verdict rests on it.
# shellcheck source=tests/consumer/lib.sh
. "$(dirname "$0")/lib.sh"
: "${HARNESS:?the built program}" "${BUILD:?folder of the build to install}" "${COMPILER:?the C++ compiler of that build}"

expect 0 cmake --install "$BUILD" --prefix "$work/prefix" --component sdk
cp -r "$here/project" "$work/project"
cd "$work/project" || exit 1
git init -q -b main .
printf '%s\n' build/ '*.so' .harness/ >.gitignore
cat >speed.json <<'JSON'
{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "cases": [
 {"match": "*", "side": "baseline", "us": 100, "process_sd": 0.02, "sample_sd": 0.003},
 {"match": "*", "side": "current", "us": 102, "process_sd": 0.02, "sample_sd": 0.003}]}
JSON
git add -A && git commit -qm "as it was"
# The next commit deals with two at once, as its metric says.
sed -i 's/sink.report("chunk", 1)/sink.report("chunk", 2)/' axpy.cpp
git commit -qam "two at once"
grep -q '"chunk", 2' axpy.cpp || problem "the project's source is not what this test thinks"

build="cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=$COMPILER -DCMAKE_PREFIX_PATH=$work/prefix && cmake --build build"
ab() { "$HARNESS" ab good.yaml --baseline HEAD~1 --build "$build" --color never "$@"; }

expect 1 ab --pair process --device scripted:speed.json --report json=ab.json
holds ab.json 'report["verdict"] == "regressed"' 'report["pairing"] == "process"'
python3 - <<'PY' || problem "the builds were not told apart"
import json
rows = {row["metric"]: row for row in json.load(open("ab.json"))["cases"]}
assert rows["wall_time"]["verdict"] == "regressed", rows["wall_time"]
assert abs(rows["wall_time"]["ratio"] - 1.02) < 0.002, rows["wall_time"]["ratio"]
assert rows["chunk"]["verdict"] == "improved" and rows["chunk"]["ratio"] == 2, rows["chunk"]
assert rows["exact"]["verdict"] == "unchanged", rows["exact"]
PY
# On the real CPU: no verdict rests on its time, whatever it is.
expect "0 1" ab --pair process --device cpu --margin 99% --allow inconclusive --report json=cpu.json
holds cpu.json 'report["pairing"] == "process"'
# A commit that does not compile is told by its compiler's words.
sed -i 's/HARNESS_MODULE(/HARNESS_MODULE oops(/' axpy.cpp
git commit -qam "does not compile"
expect 2 ab
names "$(git rev-parse --short=10 HEAD)" error
[ "$(git worktree list | wc -l)" -eq 1 ] || problem "a worktree is left"
finish
