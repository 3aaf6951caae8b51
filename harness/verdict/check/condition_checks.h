// Conditions: what the device was like around the two sides of a row, and when that forbids a verdict.
// Temperatures, power and clocks only explain; throttling and other users of the device on one side and
// not on the other decide against trusting a difference. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/verdict/read/side.h"

namespace harness {

// Share of a side's placements. Up to this much, the trimmed mean over placements and the spread between
// processes still speak for the code; for throttling, the case's gate says how much (Gate::throttled).
inline constexpr double tolerable_shared_share = 0.2;

struct ConditionDoubt {
  Remedy remedy = Remedy::as_advised;
  std::string text;
};

// Why no verdict may rest on the pair, or no text: a side was throttled in more placements than tolerable, or
// other processes used the device on one side more than on the other. A kernel that runs at the power cap
// on both sides alike is no such case: the cap is part of what it costs.
// `throttled_share`: tolerable.
ConditionDoubt condition_doubt(const SideConditions& baseline, const SideConditions& current,
                               double throttled_share);

// The same facts and smaller ones, in words with advice.
void note_conditions(std::vector<std::string>& notes, const ComparisonRow& row,
                     const SideConditions& baseline, const SideConditions& current);

// The same of one side alone, for the report of a run: throttling beyond `throttled_share`, and below it, and
// other users of the device.
void note_conditions(std::vector<std::string>& notes, const SideConditions& side, double throttled_share);

}  // namespace harness
