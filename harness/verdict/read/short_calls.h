// Short calls: times that are too short for a pair of events around one launch, and what to do about it.
// Pure.
#pragma once

#include <optional>

#include "harness/model/record.h"
#include "harness/verdict/read/side.h"

namespace harness {

// CUDA events tick in 32 ns, and a pair of them costs time in every sample: an empty kernel takes some 2.7 us
// on an H200. So below 5 us most of a sample is not the kernel, and below 32 ticks one tick is 3 %.
inline constexpr double event_tick_us = 0.032;
inline constexpr double event_bound_us = 5;
inline constexpr double tick_bound_ticks = 32;

// Whether a series of GPU times about `center` (in its unit) is too short for single launches between events.
// std::nullopt for longer calls, other metrics, other units and times of batches. `step`: between distinct
// samples (SideReading), 0 when unknown.
std::optional<Diagnostic> short_call_diagnostic(const Series& series, const Sampling& sampling, double center,
                                                double step);

}  // namespace harness
