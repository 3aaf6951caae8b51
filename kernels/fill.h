// fill_uniform(): the inputs of workloads, drawn fast and the same on every machine. Host code; it starts
// threads of its own for large tensors and ends them.
#pragma once

#include <cstdint>
#include <span>

#include "harness/sdk/workload.h"

namespace kernels {

// Draws the whole tensor (f32, f16 or bf16) uniformly from (-scale, scale), never exactly zero. Each element
// depends on the seed, the number of the stream (one a tensor) and its index alone, so the result is the same
// for any number of threads. The tensor begins with element `first` of the stream.
void fill_uniform(harness::sdk::HostTensor& tensor, std::uint64_t seed, std::size_t stream, float scale,
                  std::int64_t first = 0);

// The values of elements `first` and on, as fill_uniform() draws them for a tensor of float32.
void draw_uniform(std::span<float> values, std::int64_t first, std::uint64_t seed, std::size_t stream,
                  float scale);

}  // namespace kernels
