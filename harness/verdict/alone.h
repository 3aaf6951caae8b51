// Alone: builds that share processes could slow each other there. Some processes of an A/B run hold one build
// alone, and this compares what the two kinds of processes say of the change. Pure.
//
// Example: in shared processes both builds take 150 us. Alone, the baseline takes 100: it was slowed by what
// the other does while both are loaded. Then the processes with one build each decide.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "harness/model/results/comparison.h"
#include "harness/verdict/read/side.h"

namespace harness {

struct AloneCheck {
  double together = 0;  // log ratios, current over baseline
  double alone = 0;
  int processes = 0;     // alone, of the side with fewer
  bool differs = false;  // beyond the margin, and beyond what varies
  bool enough = false;   // processes alone, to judge by them
};

// `ratios`: log ratios of the processes that hold both builds; `shared`: both sides there; `alone`: both
// sides where each has its own. `margin`: on log time. `least`: processes a side for a verdict.
//
// With enough processes alone, a t-test at 1 % tells whether they differ. It takes no spread between
// processes alone for more than most_spread, so that a build which varies there hides little. With fewer,
// twice the spread between processes that hold both serves, at most first_spread: a doubt only asks for more
// processes. std::nullopt without a value on a side.
std::optional<AloneCheck> check_alone(std::span<const double> ratios,
                                      const std::pair<SideReading, SideReading>& shared,
                                      const std::pair<SideReading, SideReading>& alone, double margin,
                                      int least);
inline constexpr double first_spread = 0.01, most_spread = 0.03;

// Whether the processes with one build each decided.
bool is_judged_alone(const ComparisonRow& row);

}  // namespace harness
