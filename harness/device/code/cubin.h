// Cubins: the machine code of kernels in the ELF images that the CUDA driver loads. The bytes may be
// anything, so every offset is checked. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace harness {

// By mangled name.
using FunctionBytes = std::map<std::string, std::string, std::less<>>;

// The bytes of each kernel of an image, and of each function that is not inlined: its instructions (section
// `.text.NAME`) and constants (`.nv.constantN.NAME`, except bank 0, which holds launch parameters). They do
// not depend on the kernel's place, line numbers and neighbours. Code in other sections (separate
// compilation) and addresses that are filled in at load time are left out. An error says why the image is no
// 64-bit little-endian ELF image.
Result<FunctionBytes> function_bytes(std::span<const std::byte> image);

// By mangled name of a kernel.
using CodeHashes = std::map<std::string, std::string, std::less<>>;

// A hash for each kernel of everything in the image that it can execute or read: its function_bytes(), the
// symbols that it refers to, the functions that are no kernels, and the initial values of `__constant__` and
// `__device__` variables. Other kernels and line numbers do not count.
Result<CodeHashes> whole_code_hashes(std::span<const std::byte> image);

}  // namespace harness
