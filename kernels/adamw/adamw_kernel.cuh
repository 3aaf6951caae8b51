// adamw_kernel: one part of the step, or all of it. A thread takes four elements in 16-byte accesses; the
// thread after the last whole four takes the rest one by one.
#pragma once

#include "kernels/adamw/adamw.h"
#include "kernels/ptx/device.cuh"

namespace adamw {

inline constexpr int step_threads = 256;

KERNEL_DEVICE float4 four_of(const float* from, std::int64_t i) {
  return *reinterpret_cast<const float4*>(from + i);
}

// One element from each lane of four.
template <float float4::*lane, Part part>
KERNEL_DEVICE void step_lane(float4& weight, float4& mean, float4& variance, const float4& gradient,
                             float4& denominator) {
  Element one{weight.*lane, mean.*lane, variance.*lane, gradient.*lane, denominator.*lane};
  step<part>(one);
  weight.*lane = one.weight;
  mean.*lane = one.mean;
  variance.*lane = one.variance;
  denominator.*lane = one.denominator;
}

template <Part part>
__global__ void __launch_bounds__(step_threads) adamw_kernel(Arguments all) {
  constexpr unsigned reads = read_by<part>, writes = written_by<part>;
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * step_threads + threadIdx.x) * 4;
  if (i + 4 <= all.elements) {
    float4 weight = {}, mean = {}, variance = {}, gradient = {}, denominator = {};
    if constexpr ((reads & weights) != 0) weight = four_of(all.weights, i);
    if constexpr ((reads & means) != 0) mean = four_of(all.means, i);
    if constexpr ((reads & variances) != 0) variance = four_of(all.variances, i);
    if constexpr ((reads & gradients) != 0) gradient = four_of(all.gradients, i);
    if constexpr ((reads & denominators) != 0) denominator = four_of(all.denominators, i);
    step_lane<&float4::x, part>(weight, mean, variance, gradient, denominator);
    step_lane<&float4::y, part>(weight, mean, variance, gradient, denominator);
    step_lane<&float4::z, part>(weight, mean, variance, gradient, denominator);
    step_lane<&float4::w, part>(weight, mean, variance, gradient, denominator);
    if constexpr ((writes & weights) != 0) *reinterpret_cast<float4*>(all.weights + i) = weight;
    if constexpr ((writes & means) != 0) *reinterpret_cast<float4*>(all.means + i) = mean;
    if constexpr ((writes & variances) != 0) *reinterpret_cast<float4*>(all.variances + i) = variance;
    if constexpr ((writes & denominators) != 0)
      *reinterpret_cast<float4*>(all.denominators + i) = denominator;
    return;
  }
  for (std::int64_t e = i; e < all.elements; ++e) step_element<part>(all, e);
}

}  // namespace adamw
