#!/usr/bin/env bash
# A newcomer on a machine without a CUDA toolkit. A copy of this tree, outside any repository, is configured with the
# CUDA module off, lists its suites and runs the smallest. Then one file and one word add a variant, and its own suite
# measures it.
# shellcheck source=tests/consumer/lib.sh
. "$(dirname "$0")/lib.sh"
: "${SOURCE:?root of the tree}" "${BUILD:?folder of a build of it}" "${COMPILER:?the C++ compiler}"
: "${BUILD_TYPE:?as in CMake}"

# Objects come from the build under test, else from ccache: see reuse.sh.
export TREE=$work/tree BUILT=$work/tree/build/first CCACHE_BASEDIR=$work/tree CCACHE_NOHASHDIR=1
export REUSE_FROM=$BUILD REUSE_SOURCE=$SOURCE REUSE_COMMANDS=$scratch/commands
{ ninja -C "$BUILD" -t compdb || echo "[]"; } 2>/dev/null | python3 -c '
import json, shlex, sys
for one in json.load(sys.stdin):
    if " -c " in one["command"]:
        words = shlex.split(one["command"])
        words = words[words.index(sys.argv[1]) :] if sys.argv[1] in words else []
        print(" ".join(words).replace(sys.argv[2], "@build").replace(sys.argv[3], "@source"))
' "$COMPILER" "$BUILD" "$SOURCE" >"$REUSE_COMMANDS"

mkdir tree
cp -r "$SOURCE"/{CMakeLists.txt,CMakePresets.json,cmake,harness,kernels,suites} tree/
expect 0 cmake -S tree -B tree/build/first -G Ninja "-DCMAKE_BUILD_TYPE=$BUILD_TYPE" \
  "-DCMAKE_CXX_COMPILER=$COMPILER" "-DCCACHE=$here/reuse.sh" -DHARNESS_CUDA=OFF -DHARNESS_TESTS=OFF \
  "-DHARNESS_UNITY=$(sed -n 's/^HARNESS_UNITY:BOOL=//p' "$BUILD/CMakeCache.txt")"
expect 0 ninja -C tree/build/first programs
harness=tree/build/first/bin/harness
expect 0 "$harness" list tree/suites/fusion.yaml
expect 0 "$harness" run tree/suites/smoke.yaml --store smoke.db
expect 2 "$harness" run tree/suites/smoke.yaml --store smoke.db --require-gpu
names --require-gpu

cp "$here/newcomer/first.yaml" first.yaml
expect 2 "$harness" list first.yaml
names newcomer
cp "$here/newcomer/cpu_newcomer.cpp" tree/kernels/linear_gelu/
sed -i '0,/\<CPU\>/s//CPU newcomer/' tree/kernels/linear_gelu/CMakeLists.txt
expect 0 ninja -C tree/build/first programs
expect 0 "$harness" run first.yaml --store first.db --report json=first.json
holds first.json 'row("linear_gelu/newcomer/dtype=f32/m=17/n=9/k=33/", "wall_time")["outcome"] == "measured"'
echo "compiled here: $(sort -u "$REUSE_COMMANDS.compiled" | wc -l)"
finish
