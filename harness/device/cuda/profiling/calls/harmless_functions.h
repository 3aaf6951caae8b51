// The driver's functions that change nothing about a case.
#pragma once

#include <string_view>

namespace harness::cuda {

// Whether a driver function neither queues work nor changes what a kernel finds. "cuMemGetInfo_v2": true.
bool is_harmless(std::string_view function);

}  // namespace harness::cuda
