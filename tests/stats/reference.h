// Reads tests/reference/*.json, which make_reference.py there computed with scipy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace harness::stats {

inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(HARNESS_SOURCE_DIR "/tests/reference/" + name);
  EXPECT_TRUE(file) << name;
  return nlohmann::json::parse(file);
}

// Relative, with an absolute floor for values that are nought but for rounding.
inline void expect_close(double found, double expected, double relative = 1e-9, double absolute = 1e-15) {
  EXPECT_LE(std::abs(found - expected), std::max(absolute, relative * std::abs(expected)))
      << "found " << found << ", reference " << expected;
}

}  // namespace harness::stats
