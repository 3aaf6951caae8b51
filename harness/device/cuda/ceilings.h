// Ceilings: the best throughput of this device, measured now: a large copy within the device and a large
// matrix product by cuBLASLt. Reports show throughput as a share of them.
#pragma once

#include <map>
#include <string>

#include "harness/device/cuda/timing/peers.h"
#include "harness/device/timer.h"

namespace harness::cuda {

// "copy_bytes_per_s": read plus written bytes of a copy of 1 GiB, the better of a 16-byte kernel and
// cudaMemcpyAsync. "gemm_flops_per_s": 2 n^3 over the time of an n = 8192 product of uniform random bfloat16
// matrices (half where the GPU has no bfloat16), float accumulation. "gemm_8bit_flops_per_s": the same of
// random E4M3 matrices, of int8 where the GPU has no E4M3; absent where cuBLASLt has neither. All are medians
// of ten gated samples after a warm-up. Sizes shrink for little memory or a slow device, so that it takes
// about a second. Frees what it allocates. `major`, `minor`: the GPU's compute capability.
Result<std::map<std::string, double>> measure_ceilings(Timer& timer, int major, int minor);

// Bytes per second of a copy of 1 GiB from each GPU to the next in a ring, all at once: the least favourable
// of the patterns in which a collective sends. 0 without peers. Frees what it allocates.
Result<double> measure_link(Timer& timer, Peers& peers);

}  // namespace harness::cuda
