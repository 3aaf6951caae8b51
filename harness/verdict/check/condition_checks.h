// Conditions: the state of the device around the two sides of a row, and when that forbids a verdict.
// Temperatures, power and clocks only explain. Throttling and other users of the device forbid a verdict
// where they affect one side more than the other. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/verdict/read/side.h"

namespace harness {

// Share of a side's placements. Up to this much, the trimmed mean over placements and the spread between
// processes still speak for the code; for throttling, the case's gate says how much (Gate::throttled).
inline constexpr double tolerable_shared_share = 0.2;

// Why no verdict may rest on the pair: a side was throttled in more than `throttled_share` of its placements.
// Or other processes used the device on one side more than on the other. A kernel at the power cap on both
// sides alike may be judged: the cap is part of what it costs.
std::optional<Reason> condition_doubt(const SideConditions& baseline, const SideConditions& current,
                                      double throttled_share);

// Throttling, other users of the device, and shifts of temperature, power and clock.
void note_conditions(std::vector<Diagnostic>& notes, const ComparisonRow& row, const SideConditions& baseline,
                     const SideConditions& current);

// Throttling and other users of the device, of one side alone.
void note_conditions(std::vector<Diagnostic>& notes, const SideConditions& side, double throttled_share);

}  // namespace harness
