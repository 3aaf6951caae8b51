#!/bin/sh
# Builds the benchmark and runs the suite. Exit status 77: no GPU, toolkit, CMake or NVBench, with the reason.
skipped() { echo "skipped: $1" >&2; exit 77; }
nvidia-smi -L >/dev/null 2>&1 || skipped "no GPU"
command -v nvcc >/dev/null || skipped "no nvcc on PATH"
command -v cmake >/dev/null || skipped "no cmake on PATH"
cmake -S . -B build >configure.log 2>&1 || {
  grep 'or higher is required' configure.log >&2 && skipped "this cmake is too old"
  grep -q 'provided by "nvbench"' configure.log && skipped "NVBench is not installed; CMAKE_PREFIX_PATH names its folder"
  cat configure.log >&2 && exit 1
}
cmake --build build && exec harness run suite.yaml "$@"
