#!/usr/bin/env bash
# A plugin that was built before another commit was checked out is not measured under that commit's name: its own
# sources, a header of the repository, the build again, and commits that change nothing that it is built from. The
# repository is the one of its sources, which may be a submodule or another one.
# shellcheck source=tests/consumer/lib.sh
. "$(dirname "$0")/lib.sh"
: "${HARNESS:?the built program}" "${BUILD:?folder of the build to install}" "${COMPILER:?the C++ compiler of that build}"

expect 0 cmake --install "$BUILD" --prefix "$work/prefix" --component sdk
cp -r "$here/project" "$work/project"
cd "$work/project" || exit 1
git init -q -b main .
printf '%s\n' '*.so' .harness/ >.gitignore  # files of the build folder are no sources
echo '{"version": 1, "machine_class": "scripted", "device_uuid": "GPU-A", "default": {"us": 100}}' >speed.json
mkdir shared
echo '#define STRIDE 1' >shared/stride.h
sed -i '1i #include "shared/stride.h"' axpy.cpp
# shellcheck disable=SC2016  # CMake expands it
sed -i 's/^harness_add_module.*/&\ntarget_include_directories(axpy_kernels PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})/' CMakeLists.txt
git add . && git commit -qm "as it was"

configure() { expect 0 cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_COMPILER=$COMPILER" "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" "-DCMAKE_PREFIX_PATH=$work/prefix"; }
build() { expect 0 cmake --build build; }
run() { "$HARNESS" run good.yaml --device scripted:speed.json --processes 1 --color never "$@"; }
commit() { git rev-parse --short=10 HEAD; }

configure
build
expect 0 run

echo '// as fast as before' >>axpy.cpp
expect 0 run  # uncommitted: nobody can tell
git commit -qam "a source"
expect 2 run
names libaxpy_kernels.so "$(commit)" cmake --allow
expect 0 run --allow stale
build
expect 0 run

sed -i 's/STRIDE 1/STRIDE 2/' shared/stride.h
git commit -qam "a header"
expect 2 run
names libaxpy_kernels.so "$(commit)"
git checkout -q HEAD~1
expect 0 run  # its own commit again
git checkout -q main
build
expect 0 run

echo 'An outside project.' >README.md
git add README.md && git commit -qm "a document"
expect 0 run
echo '#define STEP 1' >shared/step.h
sed -i '1i #include "shared/step.h"' axpy.cpp
git add shared axpy.cpp
build
git commit -qm "a new header"
expect 0 run  # built from what was committed then

# Where the plugin lies says nothing of its sources.
mkdir ../elsewhere
mv libaxpy_kernels.so ../elsewhere/
sed -i 's|[./]*libaxpy_kernels.so|../elsewhere/libaxpy_kernels.so|' good.yaml
echo '// a step' >>axpy.cpp
git commit -qam "another source"
expect 2 run
names libaxpy_kernels.so "$(commit)"

# new_repository NAME PLUGIN : the current folder, with a suite of that plugin and a source that it is not built from.
new_repository() {
  git init -q -b main "$work/$1" && cd "$work/$1" || exit 1
  cp "$work/project/speed.json" .
  sed "s|^modules:.*|modules: [$2]|" "$work/project/good.yaml" >good.yaml
  printf '%s\n' build/ '*.so' .harness/ >.gitignore
  echo 'int unrelated;' >unrelated.cpp
}

# The plugin of another repository, or of one that is not where it was.
new_repository other ./libaxpy_kernels.so
git add . && git commit -qm "another repository"
cp ../elsewhere/libaxpy_kernels.so .
expect 0 run
cp -r ../project ../copy
cd ../copy || exit 1
expect 0 run

# Nobody can tell of a plugin whose sources git does not know yet, in a repository without others.
new_repository fresh ./libaxpy_kernels.so
rm unrelated.cpp
git add . && git commit -qm "a suite alone"
cp -r ../project/{CMakeLists.txt,axpy.cpp,shared} .
configure
build
expect 0 run
# Once the sources are committed, the plugin may be of other ones.
git add . && git commit -qm "the sources, after the build"
expect 2 run
names libaxpy_kernels.so "$(commit)" cmake --allow
expect 0 run --allow stale
build
expect 0 run
git checkout -qb slower && echo '// slower' >>axpy.cpp && git commit -qam "slower"
expect 2 run --against main
names "$(commit)"

# A plugin of another build system says nothing, and is taken, with a line that names it.
new_repository plain ./libscale.so
cp "$here/../../examples/c_plugin/scale.c" .
expect 0 cc -O1 -shared -fPIC -I "$work/prefix/include" scale.c -o libscale.so
printf '%s\n' 'version: 2' 'name: plain' 'modules: [./libscale.so]' 'cases:' \
  '  - {workload: scale, variants: [loop], axes: {n: [64]}, gate: {metrics: {time: {informative: true}}}}' >plain.yaml
git add . && git commit -qm "a plugin in C"
expect 0 "$HARNESS" run plain.yaml --device scripted:speed.json --processes 1
names libscale.so sources
expect 0 "$HARNESS" run plain.yaml --device scripted:speed.json --processes 1 --allow stale
silent_about sources

# The plugin of a submodule follows the submodule's commits.
new_repository super third_party/kern/libaxpy_kernels.so
git -c protocol.file.allow=always submodule --quiet add "$work/project" third_party/kern
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(super LANGUAGES CXX)' 'add_subdirectory(third_party/kern)' >CMakeLists.txt
git add . && git commit -qm "with a submodule"
configure
build
expect 0 run
echo 'int other;' >>unrelated.cpp
git commit -qam "a source of the superproject"
expect 0 run
echo '// a submodule' >>third_party/kern/axpy.cpp
expect 0 run  # uncommitted
git -C third_party/kern commit -qam "a source of the submodule"
expect 0 run  # its commit is not committed here
git commit -qam "the submodule's commit"
expect 2 run
names libaxpy_kernels.so third_party/kern "$(git -C third_party/kern rev-parse --short=10 HEAD)"
build
expect 0 run
finish
