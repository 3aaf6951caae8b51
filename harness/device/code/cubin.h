// Cubins: the machine code of kernels in the ELF images that the CUDA driver loads. The bytes may be
// anything, so every offset is checked. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "harness/base/result.h"
#include "harness/device/code/kernel_launches.h"

namespace harness {

// A hash for each kernel of an image, and each function that is not inlined. It covers the instructions
// (section `.text.NAME`) and the kernel's constants (`.nv.constantN.NAME`, except bank 0, which holds launch
// parameters). It does not depend on the kernel's place, line numbers and neighbours. It leaves out code in
// other sections (separate compilation) and addresses that are filled in at load time. An error says why the
// bytes are no 64-bit little-endian ELF image.
Result<CodeHashes> code_hashes(std::span<const std::byte> image);

// A hash for each kernel of everything in the image that it can execute or read: its code_hashes(), the
// symbols that it refers to, the functions that are no kernels, and the initial values of `__constant__` and
// `__device__` variables. Other kernels and line numbers do not count.
Result<CodeHashes> whole_code_hashes(std::span<const std::byte> image);

}  // namespace harness
