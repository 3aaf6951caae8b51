// The change, the interval and the margin of a comparison's row: percentages, or in the metric's own unit
// where the suite gives its margin so.
#pragma once

#include <string>

#include "harness/model/results/comparison.h"

namespace harness::report {

// "1 %", "0.5 points".
std::string margin_words(const ComparisonRow& row);
// The same of a gate's margin in `unit`; "": a share.
std::string margin_words(double margin, const std::string& unit);

// "+4.12 %", "-0.31 points"; "-" where it is not known.
std::string change_words(const ComparisonRow& row);

// "[+3.90 %, +4.34 %]", "[-0.41, -0.19] points"; "-" where it is not known.
std::string interval_words(const ComparisonRow& row);

// "+4.12 % (+3.90 % to +4.34 %)", "-0.31 points (-0.41 to -0.19)".
std::string change_with_interval(const ComparisonRow& row);

// Whether the size of the change is known.
bool has_change(const ComparisonRow& row);

}  // namespace harness::report
