// The record of a side of a comparison, and how it was found.
#pragma once

#include <string>
#include <string_view>

#include "harness/model/results/comparison.h"

namespace harness::report {

inline constexpr std::string_view pin_without_samples = "the pin holds no samples, only figures of processes";

// "abc1234def (merge base of main and 89abcdef01)", "file base.json".
std::string words(const RecordSource& source);

}  // namespace harness::report
