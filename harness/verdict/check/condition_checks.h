// Conditions: the state of the device around both sides of a row, and when it forbids a verdict. Temperature,
// power and clocks only explain. Throttling and other users of the device forbid a verdict where they affect
// one side more. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/verdict/read/side.h"

namespace harness {

// Share of a side's placements that the trimmed mean over placements and the spread between processes
// tolerate. For throttling the case's gate has its own limit (Gate::throttled).
inline constexpr double tolerable_shared_share = 0.2;

// Why the pair allows no verdict: a side was throttled in more than `throttled_share` of its placements, or
// other processes used the device more on one side. A kernel at the power cap on both sides alike may be
// judged, because the cap is part of its cost.
std::optional<Reason> condition_doubt(const SideConditions& baseline, const SideConditions& current,
                                      double throttled_share);

// The change of a row, as logs of ratios; positive is worse.
struct TimeChange {
  double time = 0;
  std::optional<double> cpu = {};  // of the CPU time that the work used, where it is known
  double margin = 0;
};

// Why the load of the host forbids to call the row worse, or to let it pass. On a busier host the same work
// waits for CPUs, so that its time grows and its CPU time does not. It also shares a core's units, caches and
// memory with others, so that both grow.
struct LoadDoubts {
  std::optional<Reason> if_worse;   // others took more of the CPUs on the current side
  std::optional<Reason> if_passes;  // likewise on the baseline's, and that may hide a slowdown
};
LoadDoubts load_doubts(const SideConditions& baseline, const SideConditions& current,
                       const TimeChange& change);

// Throttling, other users of the device, and shifts of temperature, power and clock.
void note_conditions(std::vector<Diagnostic>& notes, const ComparisonRow& row, const SideConditions& baseline,
                     const SideConditions& current);

// Throttling and other users of the device, of one side alone.
void note_conditions(std::vector<Diagnostic>& notes, const SideConditions& side, double throttled_share);

}  // namespace harness
