// Golden files: what an output looked like when somebody last looked at it.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace harness::golden {

// Compares with tests/golden/<file>. With HARNESS_UPDATE_GOLDEN=1 in the environment the file is
// written instead: read the difference before committing it.
testing::AssertionResult matches(const std::string& file, const std::string& actual);

// The differing lines of two texts, "- " expected and "+ " actual, with two lines around each run.
std::string line_difference(const std::string& expected, const std::string& actual);

}  // namespace harness::golden
