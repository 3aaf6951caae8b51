// Numbers: how quantities are printed in tables. Units are chosen once for a column where its values
// allow, and an interval is printed with enough decimals to show its width. "-" stands for "not known".
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/model/results/summary.h"

namespace harness::report {

inline constexpr std::string_view unknown = "-";

// A unit shared by a table.
struct Scale {
  double factor = 1;  // shown = value * factor
  std::string unit;   // "us"; "" when every cell carries its own unit
  bool shared = true;
  std::string source;  // the unit of the values
};

// For values of one metric: the largest time unit in which the smallest is at least 1. Values more
// than five orders of magnitude apart share none. Units that are not times stay as they are.
Scale scale_for(std::string_view unit, std::span<const double> values);

std::string quantity(double value, const Scale& scale, int digits = 4);

// Bounds of a positive quantity that lie further apart are printed as `too_wide`; of a ratio only if it may
// be 1. JSON has the figures.
inline constexpr double most_bounds_apart = 10;
inline constexpr std::string_view too_wide = "varies too much to say";
bool ratio_says_little(const Interval& ratio);

// "[37.80, 37.95]", or too_wide.
std::string bounds(const Interval& interval, const Scale& scale);
std::string bounds(const Interval& interval);

// 0.0412 -> "+4.12 %".
std::string signed_percent(double fraction);

// "[+3.90 %, +4.34 %]" of a ratio given as 1.039 .. 1.0434, or too_wide.
std::string percent_bounds(const Interval& ratio);

// "0.35 %", "1.9 %", "12 %".
std::string short_percent(double fraction);

// 0.99 -> "99 %", 0.0125 -> "1.25 %": no digits that say nothing.
std::string plain_percent(double fraction);

// "0.024", "1.2e-05", "< 1e-16".
std::string probability(const std::optional<double>& p);

// SI prefix shared by a column of throughputs: factor and "TFLOP/s".
Scale si_scale_for(std::string_view unit, std::span<const double> values);

// "1 case", "12 cases".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

// 90 -> "1 min 30 s".
std::string coarse_duration(double seconds);

// 1234567 -> "1,234,567".
std::string grouped_digits(unsigned long long value);

}  // namespace harness::report
