// ProductShape: a matrix product as the code that workloads share sees it. Plain data.
#pragma once

#include <cstdint>

#include "harness/sdk/dtype.h"

namespace kernels {

// Y (m x n) = X (m x k) W (k x n), row-major and dense, X and W of one element type (f32, f16 or bf16).
struct ProductShape {
  harness::sdk::DType dtype = harness::sdk::DType::f32;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
};

}  // namespace kernels
