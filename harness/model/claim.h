// Claim: a sentence about figures, which a record confirms or refutes. suites/README.md describes the key.
#pragma once

#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/schema/enum_names.h"

namespace harness {

// speedup: how many times better than `against`, 2 is half the time. change: current over `against`, less 1.
// difference: current less `against`, and value: both in the metric's unit.
enum class ClaimFigure { speedup, change, difference, value };
template <>
inline constexpr auto enum_names<ClaimFigure> = names<ClaimFigure>({{ClaimFigure::speedup, "speedup"},
                                                                    {ClaimFigure::change, "change"},
                                                                    {ClaimFigure::difference, "difference"},
                                                                    {ClaimFigure::value, "value"}});

// How several cases decide: by their geometric mean, every one, or at least one.
enum class ClaimScope { geometric_mean, every, any };
template <>
inline constexpr auto enum_names<ClaimScope> = names<ClaimScope>(
    {{ClaimScope::geometric_mean, "geometric_mean"}, {ClaimScope::every, "every"}, {ClaimScope::any, "any"}});

// Both ends belong to it. At least one is there.
struct ClaimRange {
  std::optional<double> least, most;
};

struct Claim {
  std::string says;     // the sentence, as its source has it
  std::string source;   // who said it, and where
  std::string of;       // filter of case ids (base/filter.h)
  std::string against;  // the same for the cases that they are compared with; "" for a value
  std::string metric;   // "": the first of each case, its time
  ClaimFigure figure = ClaimFigure::speedup;
  ClaimRange range;
  ClaimScope over = ClaimScope::geometric_mean;
  bool gate = false;  // must be confirmed
  Location where = {};
};

}  // namespace harness
