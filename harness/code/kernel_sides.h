// The machine code of named kernels in two builds, next to each other. Reads files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/code/code_sides.h"

namespace harness {

// Names of one kernel in both builds, demangled, as records have them.
using KernelNames = std::pair<std::string, std::string>;

// In the order of the names, for a device of that compute capability ("9.0"). A kernel that is in no file of
// a side, or in several with different code, has no architecture.
std::vector<CodeSides> kernel_sides(const std::filesystem::path& baseline,
                                    const std::filesystem::path& current,
                                    const std::vector<KernelNames>& kernels,
                                    const std::string& compute_capability);

}  // namespace harness
