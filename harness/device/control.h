// The control: the instrument's times of an empty call. Reports show them beside short cases. Nothing is
// subtracted, because the cost of a pair of events depends on the kernel between them. One thread.
#pragma once

#include <optional>

#include "harness/device/timer.h"

namespace harness {

// Times `empty` alone and nothing at all: each is the mean over 8 placements of the median of 7 warm calls.
// Also times `empty` in batches of 100 and 400: the slope between the medians of 5 of each. std::nullopt when
// the device refuses. Takes some ten milliseconds on a GPU.
std::optional<Control> measure_control(Timer& timer, const Work& empty);

}  // namespace harness
