// CUSUM: notices a small lasting shift sooner than a test of one step, such as steps of 1 % under a gate of 2
// % (Page 1954; Montgomery 2013, section 9.1).
//
// Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace harness::stats {

// All in units of the sd. `reference` (k) is half the shift to be noticed, delta / (2 sd); `decision`
// (h) sets how often an unchanged series alarms: see cusum_run_length.
struct CusumRule {
  double reference = 0.5;
  double decision = 5;
};

enum class CusumSide { up, down };

struct CusumAlarm {
  std::size_t index = 0;    // of the value that raised the alarm
  std::size_t started = 0;  // of the first value since the sum was last nought: where the shift began
  CusumSide side = CusumSide::up;
};

struct Cusum {
  std::optional<CusumAlarm> alarm;  // the first; the search ends there
  double upper = 0, lower = 0;      // both sums at the alarm, or at the end
};

// Two-sided tabular CUSUM of z = (value - target) / sd:
//   C+_i = max(0, z_i - k + C+_{i-1}), C-_i = max(0, -z_i - k + C-_{i-1}), alarm when one exceeds h.
// An infinite value alarms. std::nullopt when a value is NaN before any alarm, unless sd > 0 and target
// are finite, or with a negative k or h.
std::optional<Cusum> cusum(std::span<const double> values, double target, double sd, const CusumRule& rule);

// Values until an alarm, on average, when the mean lies `shift` sds from the target (0: false alarms) and
// values are independent and normal: Siegmund's (1985) approximation, with d = shift - k, b = h + 1.166,
//   one side: (exp(-2 d b) + 2 d b - 1) / (2 d^2); two sides: 1 / (1 / up + 1 / down).
// Within 1 % of the exact one where k <= 0.5 and h >= 4. At k = 1, h = 3, d = -1 it is 5.6 % above (16
// lengths in tests/reference/cusum.json).
double cusum_run_length(const CusumRule& rule, double shift = 0);

// The decision interval h with which an unchanged series alarms once in `run_length` values on average;
// 0 when even h = 0 does so more rarely.
double cusum_decision(double reference, double run_length);

}  // namespace harness::stats
