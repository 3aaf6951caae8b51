#!/usr/bin/env bash
# When the NVBench example skips itself, and when its build fails. GPU, nvcc, CMake and harness are scripts here.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cp "$tests/../examples/nvbench/run.sh" .
mkdir "$scratch/path"
for tool in cat grep sh; do ln -s "$(command -v $tool)" "$scratch/path/$tool"; done

# has TOOL SCRIPT: the machine has this tool.
has() { printf '#!/bin/sh\n%s\n' "$2" >"$scratch/path/$1" && chmod +x "$scratch/path/$1"; }
example() { env PATH="$scratch/path" ./run.sh "$@"; }

expect 77 example
names GPU
has nvidia-smi 'exit 0'
expect 77 example
names nvcc
has nvcc 'exit 0'
expect 77 example
names cmake
has cmake 'echo "CMake 3.25 or higher is required.  You are running version 3.16"; exit 1'
expect 77 example
names 3.25 3.16
has cmake "echo 'Could not find a package configuration file provided by \"nvbench\" with any of'; exit 1"
expect 77 example
names NVBench CMAKE_PREFIX_PATH

# A machine with all of it: nothing is skipped any more.
has cmake 'echo no-such-architecture; exit 1'
expect 1 example
names no-such-architecture
# shellcheck disable=SC2016 # the words of the scripts
has cmake '[ "$1" = -S ] || exit 4'
expect 4 example
has cmake 'exit 0'
# shellcheck disable=SC2016
has harness 'echo "$@"; exit 3'
expect 3 example --filter bench
names suite.yaml --filter
finish
