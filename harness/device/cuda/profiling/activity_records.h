// Activity records: turns the records that CUPTI writes into buffers into KernelLaunches. Pure, except for
// CUPTI's function that finds the next record.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/code/kernel_launches.h"

namespace harness::cuda {

KernelLaunch launch_of(const CUpti_ActivityKernel10& record);
KernelLaunch launch_of(const CUpti_ActivityMemcpy6& record);  // "[memcpy device to host]"
KernelLaunch launch_of(const CUpti_ActivityMemset4& record);  // "[memset]"

// cuptiActivityGetNextRecord
using NextRecord = CUptiResult (*)(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record);

// Appends the launches of one buffer's first `bytes`; skips records of other kinds. An error when the walk
// does not end at the buffer's end: then some are missing.
Status append_launches(std::uint8_t* buffer, std::size_t bytes, NextRecord next,
                       std::vector<KernelLaunch>& launches);

}  // namespace harness::cuda
