// Seconds of the timer as microseconds of a record.
#pragma once

#include <cmath>

#include "harness/base/units.h"

namespace harness {

inline constexpr double microseconds_per_second = 1e6;

// With the precision of a clock (0.1 ns), so that records stay small: 32 ns ticks stay exact.
inline double to_microseconds(Seconds value) {
  const double us = value * 1e6;
  const double rounded = std::round(us * 1e4) / 1e4;
  return rounded > 0 ? rounded : us;
}

inline Seconds from_microseconds(double value) {
  return value * 1e-6;
}

}  // namespace harness
