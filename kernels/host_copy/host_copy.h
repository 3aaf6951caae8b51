// The problem host_copy as every variant sees it: n float32 values go to the device, and n others to the
// host's memory.
#pragma once

#include <cstddef>

namespace host_copy {

// Indices into Problem::tensors and Buffers::tensors. The tensors of the host lie in its memory.
inline constexpr std::size_t of_host_index = 0;
inline constexpr std::size_t of_device_index = 1;
inline constexpr std::size_t to_device_index = 2;
inline constexpr std::size_t to_host_index = 3;

}  // namespace host_copy
