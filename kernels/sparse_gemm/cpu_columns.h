// CpuColumns: what the CPU variants share. X is widened in the call, and threads take columns of Y.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/sdk/variant.h"
#include "kernels/cpu_pool.h"
#include "kernels/sparse_gemm/sparse_gemm.h"

namespace sparse_gemm {

class CpuColumns {
 public:
  CpuColumns(const Shape& shape, int threads)
      : shape_(shape), pool_(threads), x_(static_cast<std::size_t>(shape.m * shape.k)) {}

  void bind(const harness::sdk::Buffers& buffers) {
    stored_x_ = buffers.as<std::uint16_t>(x_index);
    w_ = buffers.as<std::byte>(w_index);
    y_ = buffers.as<std::uint16_t>(y_index);
  }

  [[nodiscard]] const std::byte* w() const { return w_; }
  [[nodiscard]] int threads() const { return pool_.threads(); }

  // prepare(column, worker) readies a row of W; dot(x, worker) multiplies it with a row of X.
  template <class Prepare, class Dot>
  void run(const Prepare& prepare, const Dot& dot) {
    const std::int64_t k = shape_.k;
    pool_.for_each(shape_.m, [&](std::int64_t row, int) {
      for (std::int64_t p = row * k; p < (row + 1) * k; ++p)
        x_[static_cast<std::size_t>(p)] = harness::sdk::float_from_f16(stored_x_[p]);
    });
    pool_.for_each(shape_.n, [&](std::int64_t column, int worker) {
      prepare(column, worker);
      for (std::int64_t row = 0; row < shape_.m; ++row)
        y_[row * shape_.n + column] = harness::sdk::f16_from_float(dot(x_.data() + row * k, worker));
    });
  }

 private:
  Shape shape_;
  kernels::Pool pool_;
  std::vector<float> x_;
  const std::uint16_t* stored_x_ = nullptr;
  const std::byte* w_ = nullptr;
  std::uint16_t* y_ = nullptr;
};

}  // namespace sparse_gemm
