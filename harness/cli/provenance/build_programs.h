// The programs of a suite, built where they are measured.
#pragma once

#include "harness/base/result.h"
#include "harness/model/plan.h"

namespace harness {

// Gives the `build` of each program that is measured, once a command and folder, and reports it on standard
// error. False: interrupted.
Result<bool> build_programs(const Plan& plan);

}  // namespace harness
