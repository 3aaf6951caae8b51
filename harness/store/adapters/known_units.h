// Units as other tools spell them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/model/record.h"

namespace harness {

// Microseconds, which records hold for times, per unit; written so that one rounding converts a value.
struct TimeUnit {
  double multiply = 1;
  double divide = 1;

  [[nodiscard]] double to_microseconds(double value) const { return value * multiply / divide; }
};

// "ns", "msec", "Seconds", "µs": std::nullopt for anything that is no unit of time.
std::optional<TimeUnit> time_unit(std::string_view spelling);

// The better direction of a metric in this unit, where its file does not say it. Rates of bytes, bits, FLOP,
// items, tokens, requests and frames are better when higher; times, sizes, counts of
// such things and of the work of a GPU when lower. The direction of anything else is not known.
struct UsualDirection {
  Direction direction = Direction::lower_is_better;
  bool known = true;
};
UsualDirection usual_direction(std::string_view unit);

// Whether a metric calls itself a time, so that its unit has to be one.
bool is_named_time(std::string_view metric);

}  // namespace harness
