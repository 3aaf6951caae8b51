// The policy of a comparison: its values, its waivers and the remarks on it.
#pragma once

#include <string>

#include "harness/model/results/comparison.h"

namespace harness::report {

// {"margin", "1 %", "default"}.
struct PolicyWords {
  std::string name;
  std::string value;
  std::string source;
};
PolicyWords words(const PolicyFact& fact, const Comparison& comparison);

std::string words(const WaiverAdvice& advice);
std::string words(const Remark& remark);

}  // namespace harness::report
