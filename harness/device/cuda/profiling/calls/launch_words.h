// The words and attributes of a launch, for every reader of launches. Any thread may call these.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "harness/device/code/driver_call.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::cuda {

// A value that a call is given, with the memory that it points to, if any.
Word word_of(const Driver& driver, std::uint64_t value);

// The figures of an attribute of a launch. False where the harness does not know it, or it names an event.
bool add_attribute(DriverCall& call, const CUlaunchAttribute& one);

}  // namespace harness::cuda
