#include "kernels/quant_gemm/cpu_product.h"

#include <algorithm>
#include <array>

#include "kernels/quantise.h"

namespace quant_gemm {
namespace {

using harness::sdk::DType;

// In several sums, so that the compiler can add vectors. The order does not depend on threads.
float dot(const float* a, const float* b, std::int64_t count) {
  constexpr std::int64_t lanes = 16;
  std::array<float, lanes> sums{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      sums[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
  float sum = 0;
  for (const float one : sums) sum += one;
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

void round_group(float* values, std::int64_t count, DType type) {
  const float scale = kernels::scale_for(kernels::largest_magnitude(values, count), type);
  for (std::int64_t i = 0; i < count; ++i) values[i] = kernels::rounded_code(values[i], scale, type) * scale;
}

}  // namespace

CpuProduct::CpuProduct(const Shape& shape, int threads)
    : shape_(shape),
      pool_(threads),
      x_(static_cast<std::size_t>(shape.m * shape.k)),
      w_of_thread_(static_cast<std::size_t>(pool_.threads()),
                   std::vector<float>(static_cast<std::size_t>(shape.k))) {}

void CpuProduct::bind(const harness::sdk::Buffers& buffers) {
  stored_x_ = buffers.as<void>(x_index);
  stored_w_ = buffers.as<void>(w_index);
  w_scales_ = shape_.weights == Weights::f16 ? nullptr : buffers.as<float>(w_scales_index);
  x_scales_ = shape_.stored ? buffers.as<float>(x_scales_index) : nullptr;
  y_ = buffers.as<std::uint16_t>(y_index(shape_));
}

void CpuProduct::widen_x(bool rounds, DType type) {
  pool_.for_each(shape_.m, [&](std::int64_t row, int) {
    float* const values = x_.data() + row * shape_.k;
    const DType stored = shape_.stored ? shape_.product_type() : DType::f16;
    for (std::int64_t p = 0; p < shape_.k; ++p) {
      values[p] = static_cast<float>(harness::sdk::load(stored_x_, stored, row * shape_.k + p));
      if (x_scales_ != nullptr) values[p] *= x_scales_[shape_.x_scale_of(row, p)];
    }
    const std::int64_t step = shape_.x_columns_a_scale();
    if (rounds)
      for (std::int64_t p = 0; p < shape_.k; p += step)
        round_group(values + p, std::min(step, shape_.k - p), type);
  });
}

void CpuProduct::column(std::int64_t n, std::vector<float>& w) {
  for (std::int64_t p = 0; p < shape_.k; ++p) {
    float& value = w[static_cast<std::size_t>(p)];
    value = static_cast<float>(harness::sdk::load(stored_w_, shape_.weight_type(), n * shape_.k + p));
    if (w_scales_ != nullptr) value *= w_scales_[shape_.scale_of(n, p)];
  }
  for (std::int64_t row = 0; row < shape_.m; ++row)
    y_[row * shape_.n + n] =
        harness::sdk::f16_from_float(dot(x_.data() + row * shape_.k, w.data(), shape_.k));
}

void CpuProduct::run(bool rounds_x, DType type) {
  widen_x(rounds_x, type);
  pool_.for_each(shape_.n, [&](std::int64_t n, int worker) {
    column(n, w_of_thread_[static_cast<std::size_t>(worker)]);
  });
}

}  // namespace quant_gemm
