// Quantities as people write and read them: durations, percentages, SI prefixes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness {

// A duration or a point on a monotonic clock, in seconds. All times inside the harness are seconds
// held in a double; records hold the unit beside the number.
using Seconds = double;

// Since a point on the monotonic clock.
Seconds seconds_since(std::chrono::steady_clock::time_point begin);

// "250ms", "1.5s", "2m", "30us" -> seconds; a bare number is an error (say the unit).
Result<Seconds> parse_duration(std::string_view text);

// "0.5%" or "0.005" -> 0.005; rejects negatives, NaN and values >= 100 %, and a bare number of
// 0.1 or more, which may be a percentage whose sign was forgotten.
Result<double> parse_fraction(std::string_view text);

// Seconds per unit name ("s", "ms", "us", "ns"); std::nullopt-like 0 for anything else.
double seconds_per_unit(std::string_view unit);

// " us" behind a number; nothing for "" and "1", the units of a pure number.
std::string after_number(std::string_view unit);

std::string format_seconds(Seconds value);  // "23.7 us", "1.52 s"
// With its unit. A time that has many digits in it, or none, is told in a unit that fits: 0.0003233 s is
// "323.3 us".
std::string format_quantity(double value, std::string_view unit);
std::string format_si(double value, std::string_view unit);    // 4.3e12, "B/s" -> "4.30 TB/s"
std::string format_significant(double value, int digits = 4);  // "37.88", "0.0412", "1235"

}  // namespace harness
