#!/usr/bin/env bash
# shellcheck disable=SC2016,SC2317  # the single-quoted commands are for the shell that sources setup.sh
# ci/setup.sh on machines that this one is not: stand-ins for nvidia-smi, nvcc, dpkg-query and apt-get.
# shellcheck source=tests/consumer/lib.sh
. "$(dirname "$0")/lib.sh"
setup=$here/../../ci/setup.sh
unset HARNESS_CUDA HARNESS_CUDA_ARCHITECTURES HARNESS_NO_INSTALL CUDA_HOME CUDA_PATH

mkdir stand-ins toolkit toolkit/bin
export PATH=$work/stand-ins:$PATH

# stand_in PATH LINE... : a program that does what the lines say.
stand_in() {
  local path=$1
  shift
  printf '%s\n' '#!/bin/sh' "$@" >"$path"
  chmod +x "$path"
}

toolkit_of_version() {
  stand_in toolkit/bin/nvcc "case \$1 in" \
    "--version) echo 'Cuda compilation tools, release $1, V$1.88' ;;" \
    "--list-gpu-arch) printf 'compute_%s\n' 75 80 86 89 90 100 103 120 121 ;;" "esac"
}

# with_setup COMMAND... : in a shell that sourced setup.sh and keeps its logs here.
with_setup() {
  # shellcheck disable=SC2016
  bash -euc '. "$1"; logs=$2; shift 2; eval "$@"' with_setup "$setup" "$work" "$@"
}

# architectures CAPABILITIES EXPECTED: one capability a GPU, as nvidia-smi prints them.
architectures() {
  stand_in stand-ins/nvidia-smi "printf '%b' '$1'"
  CUDA_HOME=$work/toolkit expect 0 with_setup 'find_cuda; printf "<%s>\n" "${cuda_arguments[@]}"'
  names "<-DHARNESS_CUDA=AUTO>" "<-DCUDAToolkit_ROOT=$work/toolkit>" "<-DHARNESS_CUDA_ARCHITECTURES=$2>"
}

toolkit_of_version 13.0
architectures '9.0\n' 90a-real
architectures '9.0\n9.0\n' 90a-real
architectures '8.9\n7.5\n' '75-real;89-real'
architectures '12.0\n9.0\n8.0\n' '80-real;90a-real;120a-real'
architectures '10.3\n' 103a-real
architectures '6.1\n8.6\n' 86-real
names 6.1
architectures '13.5\n' 121-virtual
names 13.5
# Without a GPU the module is built only where it is asked for.
stand_in stand-ins/nvidia-smi "echo 'No devices were found'"
CUDA_HOME=$work/toolkit expect 0 with_setup 'find_cuda; printf "<%s>\n" "${cuda_arguments[@]}"'
same "the arguments" "$(cat "$printed")" "<-DHARNESS_CUDA=OFF>"
HARNESS_CUDA=ON CUDA_HOME=$work/toolkit expect 0 with_setup 'find_cuda; printf "<%s>\n" "${cuda_arguments[@]}"'
names "<-DHARNESS_CUDA=ON>" "<-DCUDAToolkit_ROOT=$work/toolkit>" "<-DHARNESS_CUDA_ARCHITECTURES=90a-real>"
HARNESS_CUDA=TOOLKIT CUDA_HOME=$work/toolkit expect 0 with_setup 'find_cuda; printf "<%s>\n" "${cuda_arguments[@]}"'
names "<-DHARNESS_CUDA=ON>"
HARNESS_CUDA=YES expect 2 with_setup find_cuda
names HARNESS_CUDA=YES
HARNESS_CUDA_ARCHITECTURES='80-real;90a-real' architectures '7.5\n' '80-real;90a-real'

toolkit_of_version 12.8
CUDA_HOME=$work/toolkit expect 0 with_setup 'find_cuda; printf "<%s>\n" "${cuda_arguments[@]}"'
names 12.8 "$work/toolkit" 13.0
! grep -qF "ROOT=$work/toolkit>" "$printed" || problem "the old toolkit was chosen"
toolkit_of_version 13.0
HARNESS_CUDA=OFF CUDA_HOME=$work/toolkit expect 0 with_setup 'find_cuda; printf "<%s>\n" "${cuda_arguments[@]}"'
names "<-DHARNESS_CUDA=OFF>"

# Packages: whatever the command line asks about is installed, except the ones named in `absent`.
stand_in stand-ins/dpkg-query 'shift 2' 'for name; do' \
  "grep -qx \"\$name\" '$work/absent' || echo \"installed \$name:amd64\"" 'done' 'exit 1'
stand_in stand-ins/apt-get "echo \"\$@\" >>'$work/apt-calls'"
stand_in stand-ins/sudo 'exec "$@"'
for program in cmake ninja c++ git ccache node; do stand_in "stand-ins/$program" ':'; done

printf '' >absent
expect 0 with_setup 'boost_version() { echo 107400; }; install_packages "${run_packages[@]}"'
[ ! -e apt-calls ] || problem "apt-get was called although nothing is missing: $(cat apt-calls)"

# The program needs nothing that only tests need.
printf '%s\n' libgtest-dev npm >absent
HARNESS_NO_INSTALL=1 expect 0 with_setup 'boost_version() { echo 108300; }; install_packages "${run_packages[@]}"'
HARNESS_NO_INSTALL=1 expect 2 with_setup 'boost_version() { echo 108300; }; tools+=(no-such-program:npm);
  install_packages "${run_packages[@]}" "${test_packages[@]}"'
names libgtest-dev npm

# The bootstrap builds the programs alone, and leaves a build folder that has tests as it is.
printf '' >absent
mkdir tree && cp -r "$here/../../ci" tree/
stand_in stand-ins/cmake "case \$1 in --version) echo cmake version 3.25.1 ;; *) echo \"\$@\" >>'$work/cmake-calls' ;; esac"
stand_in stand-ins/ninja "echo \"\$@\" >>'$work/ninja-calls'"
HARNESS_CUDA=OFF HARNESS_NO_INSTALL=1 expect 0 bash tree/ci/bootstrap.sh
contains cmake-calls "--preset release" "-DHARNESS_TESTS=OFF" "-DHARNESS_CUDA=OFF"
same "ninja's arguments" "$(cat ninja-calls)" "-C $work/tree/build/release programs"
touch tree/build/release/CMakeCache.txt
rm cmake-calls
HARNESS_CUDA=OFF HARNESS_NO_INSTALL=1 expect 0 bash tree/ci/bootstrap.sh
! grep -q HARNESS_TESTS cmake-calls || problem "the tests of a build folder were turned off"

printf 'libfmt-dev\n' >absent
HARNESS_NO_INSTALL=1 expect 2 with_setup 'boost_version() { echo 108300; }; install_packages "${run_packages[@]}"'
names HARNESS_NO_INSTALL=1 apt-get libfmt-dev
[ ! -e apt-calls ] || problem "apt-get was called although HARNESS_NO_INSTALL=1: $(cat apt-calls)"

expect 0 with_setup 'boost_version() { echo 107300; }; install_packages "${run_packages[@]}"'
contains apt-calls "update" "--no-remove"
grep -q 'install.* libboost[0-9.]*-dev libfmt-dev$' apt-calls || problem "apt-get was asked for: $(cat apt-calls)"

stand_in stand-ins/apt-get 'test "$1" = update || { echo "E: no such package"; exit 100; }'
expect 2 with_setup 'boost_version() { echo 108300; }; install_packages "${run_packages[@]}"'
says "E: no such package"
names apt-install.log
finish
