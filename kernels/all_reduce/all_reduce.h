// The problem all_reduce as every variant sees it: each GPU has n values, and each gets the sums over all
// GPUs. Tensors 0 to gpus - 1 are what the GPUs have, the next ones what they get, all float32. Host code; no
// state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/sdk/params.h"

namespace all_reduce {

struct Shape {
  std::size_t gpus = 1;
  std::int64_t n = 1;  // values of each GPU

  // Part `gpu` of the values begins here. The last part ends where part `gpus` begins.
  [[nodiscard]] std::int64_t part(std::size_t gpu) const {
    return n * static_cast<std::int64_t>(gpu) / static_cast<std::int64_t>(gpus);
  }
  [[nodiscard]] std::size_t result_index(std::size_t gpu) const { return gpus + gpu; }
};

inline Shape shape_of(const harness::sdk::Params& params) {
  return {static_cast<std::size_t>(params.integer("gpus")), params.integer("n")};
}

// Our own kernels on GPUs take vectors of 4 values of each GPU's part.
inline void require_vectors(const Shape& shape) {
  const std::size_t least = 4 * shape.gpus;
  if (shape.n % static_cast<std::int64_t>(least) != 0)
    throw harness::sdk::Unsupported("n must be a multiple of " + std::to_string(least) +
                                    ", vectors of 4 values on each GPU");
}

}  // namespace all_reduce
