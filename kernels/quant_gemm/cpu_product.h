// The product of the CPU variants: threads take columns of Y, and a row of W is widened to float32 once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/sdk/variant.h"
#include "kernels/cpu_pool.h"
#include "kernels/quant_gemm/quant_gemm.h"

namespace quant_gemm {

class CpuProduct {
 public:
  CpuProduct(const Shape& shape, int threads);

  void bind(const harness::sdk::Buffers& buffers);

  // X as stored, or with each row and group of k rounded to `type` by its largest magnitude.
  void run(bool rounds_x, harness::sdk::DType type);

 private:
  void widen_x(bool rounds, harness::sdk::DType type);
  void column(std::int64_t n, std::vector<float>& w);

  Shape shape_;
  kernels::Pool pool_;
  std::vector<float> x_;                         // widened, inside run(): it is part of the work
  std::vector<std::vector<float>> w_of_thread_;  // a row of W
  const void* stored_x_ = nullptr;
  const void* stored_w_ = nullptr;
  const float* w_scales_ = nullptr;
  const float* x_scales_ = nullptr;
  std::uint16_t* y_ = nullptr;
};

}  // namespace quant_gemm
