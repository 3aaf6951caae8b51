// Slow calls: the gate on what the trimmed mean of a process does not show. A call is slow when it takes more
// than a tenth longer than its process's value. Pure.
#pragma once

#include <optional>

#include "harness/verdict/read/side.h"

namespace harness {

// The least rise of the share of slow calls that fails, and the least rise of the mean of all calls, beyond
// the row's margin.
inline constexpr double least_share_rise = 0.05;
inline constexpr double least_mean_rise = 0.05;

struct SlowCalls {
  double p = 1;   // that either is worse: the smaller of the two, doubled (Bonferroni)
  Reason reason;  // of the shares where they rose enough, else of the mean
  // Why the row must not pass: the mean may be worse by more than is allowed, and slow calls became more
  // frequent or slower than in any process of the baseline.
  std::optional<Reason> open = {};
};

// The bound of the mean is at this level, and so is the test of the shares.
inline constexpr double open_alpha = 0.05;

// Both are tested by process (Welch). Shares are tested as the arcsine of their square root, whose variance
// is nearly constant (Anscombe 1948); it is at least that of a counted share, 1 / 4n. Means are tested as
// logs; H0 is "not worse by more than the margin and least_mean_rise". std::nullopt without enough processes,
// or where the metric is no time.
std::optional<SlowCalls> judge_slow_calls(const SideReading& baseline, const SideReading& current,
                                          double log_margin, double known_variance);

}  // namespace harness
