// The control: what the instrument itself reads for a call that does nothing, timed as cases are. It stands
// beside short cases; nothing is ever subtracted, because what a pair of events costs beside an empty
// kernel is not what it costs beside another. One thread.
#pragma once

#include <functional>
#include <optional>

#include "harness/device/device.h"

namespace harness {

// Times `empty` by itself and nothing at all (each the mean over 8 placements of the device of the median of
// 7, hot, after warm-up), and `empty` in batches of 100 and 400 (the slope between the medians of 5 of each).
// std::nullopt when the device refuses. Some ten milliseconds on a GPU.
std::optional<Control> measure_control(Device& device, const std::function<void()>& empty);

}  // namespace harness
