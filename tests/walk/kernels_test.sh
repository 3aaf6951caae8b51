#!/usr/bin/env bash
# The page of kernels: its three files, built against an installed harness, and a suite of them. Real times are judged, beside
# whatever runs here, so undecided is right, too.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"
: "${BUILD:?folder of the build to install}" "${COMPILER:?the C++ compiler of that build}"

expect 0 cmake --install "$BUILD" --prefix "$scratch/prefix" --component sdk
export CMAKE_PREFIX_PATH=$scratch/prefix CXX=$COMPILER
python3 "$here/commands.py" --file manual/gate-kernels.md cmake 0 >CMakeLists.txt
python3 "$here/commands.py" --file manual/gate-kernels.md cpp 0 >twice.cpp
python3 "$here/commands.py" --file manual/gate-kernels.md yaml 0 >suite.yaml
page manual/gate-kernels.md 'Start'
step 0 "git init"
step 0 "cmake -B build"
step 0 "harness list"
step 0 "harness run"
step 0 "git switch"
step "1 3" "harness ab"

# A script gives the times: on main, then against it.
git switch -q main
speeds 100 && commit "times"
expect 0 cmake --build build
expect 0 harness run suite.yaml --device scripted:speed.json
git checkout -qb slower && speeds 104 && commit "slower"
expect 1 harness run suite.yaml --against main --device scripted:speed.json
names twice/loop/n=100000
finish_walk
