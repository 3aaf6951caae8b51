#!/usr/bin/env bash
# ci/your-repository.md: its three files, built against an installed harness, and a suite of them.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"
: "${BUILD:?folder of the build to install}" "${COMPILER:?the C++ compiler of that build}"

expect 0 cmake --install "$BUILD" --prefix "$scratch/prefix" --component sdk
export CMAKE_PREFIX_PATH=$scratch/prefix CXX=$COMPILER
git init -q -b main .
python3 "$here/commands.py" --file ci/your-repository.md cmake 0 >CMakeLists.txt
python3 "$here/commands.py" --file ci/your-repository.md cpp 0 >twice.cpp
python3 "$here/commands.py" --file ci/your-repository.md yaml 0 >suite.yaml
page ci/your-repository.md 'Use it in your repository'
step 0 "printf"
step 0 "cmake -B build"
step 0 "harness list"
names twice/loop/n=100000
step 0 "harness run"
names twice/loop/n=100000

# The comment of the last command: on main; then, on a branch, --against main. A script gives the times.
speeds 100 && commit "times"
expect 0 harness run suite.yaml --device scripted:speed.json
git checkout -qb change && speeds 104 && commit "slower"
expect 1 harness run suite.yaml --against main --device scripted:speed.json
names twice/loop/n=100000
finish_walk
