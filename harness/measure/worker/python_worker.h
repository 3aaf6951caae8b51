// A worker process that a Python interpreter runs, for suites with cases in Python.
#pragma once

#include "harness/measure/worker/worker.h"

namespace harness {

// Whether a job has modules of Python, so that only such a worker can run it.
bool needs_python(const Job& job);

// Becomes python3 -m harness.worker, which loads the worker library beside this program. Returns the exit
// status when there is no such interpreter.
int become_python_worker();

}  // namespace harness
