// The kernels of a cubin: their figures, and hashes of what each can execute and read. The hashes do not
// depend on addresses, the order of functions, padding, line numbers and the names of files. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/code/code_change.h"

namespace harness {

struct KernelCode {
  std::string name;   // mangled, as source_name() writes it
  std::string code;   // hash of its instructions and constants, what they refer to, and its attributes
  std::string whole;  // hash of that, of the functions that it may call, and of its image's variables
  KernelFigures figures;
};

struct CubinCode {
  std::string architecture;  // "sm_90a"
  std::vector<KernelCode> kernels;
};

Result<CubinCode> read_cubin(std::span<const std::byte> image);

// A text with mangled names, without what nvcc makes of the path and the content of a file. That is in the
// names of anonymous namespaces and of static kernels. Helper functions lose the numbers that it counts.
std::string source_name(std::string_view text);

// A mangled name without the marks of internal linkage, which the host's functions have and kernels have not:
// "_ZL6stagedPf" launches "_Z6stagedPf".
std::string kernel_key(std::string_view name);

}  // namespace harness
