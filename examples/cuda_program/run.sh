#!/bin/sh
# Builds and traces the program, then runs the suite. Exit status 77: no GPU or no compiler, with the reason.
skipped() { echo "skipped: $1" >&2; exit 77; }
nvidia-smi -L >/dev/null 2>&1 || skipped "no GPU"
command -v nvcc >/dev/null || skipped "no nvcc on PATH"
nvcc -O2 steps.cu -o steps && harness trace -- ./steps 100 && exec harness run suite.yaml "$@"
