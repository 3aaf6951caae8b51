#!/usr/bin/env bash
# The page of suites: cases of a suite, and a run of some.
# shellcheck source=tests/walk/lib.sh
. "$(dirname "$0")/lib.sh"

clone
page manual/write-a-suite.md 'Start'
step 0 "harness list"
step 0 "harness run"
step 0 "harness list --workloads"
names gelu cublas_unfused
finish_walk
