// A small catalog for the tests of suites: two workloads, variants on both devices, no kernel that
// could run.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/suite/make_plan.h"

namespace harness::test {

// gemm: dtype (f32, f16, bf16), m and n (at least 1), scale (real, 1), fast (boolean, false), form
// (any text, "tanh"). Refuses m=13; does not support bf16 with n above 4096.
//   cpu: plain, tiled; cuda: library, wmma (need a device), blackwell (not in this build)
// nop: no parameters; one variant, only.
Catalog test_catalog();

// Suite and plan in one go, as `file`; all errors of the step that failed as one text.
tl::expected<Plan, std::string> plan_of(const std::string& text, const PlanOptions& options = {},
                                        const std::string& file = "suite.yaml");

// `errors` as a terminal would show them.
std::string text_of(const std::vector<Error>& errors);

// "version: 2\nname: test\n" and, before `cases`, whatever is given.
std::string suite_text(const std::string& cases, const std::string& before = "");

std::vector<std::string> ids(const Plan& plan);

// The error of a suite in text form; "" when it is accepted.
std::string errors_of(const std::string& text, const PlanOptions& options = {});

}  // namespace harness::test
