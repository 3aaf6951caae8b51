// The kernels of PTX, as hashes of their text without comments, lines of sources and numbers that depend on
// the order of functions. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/code/kernel_code.h"

namespace harness {

std::vector<KernelCode> kernels_of_ptx(std::string_view text);

// ".target sm_90a" -> "compute_90a"
std::string architecture_of_ptx(std::string_view text);

}  // namespace harness
