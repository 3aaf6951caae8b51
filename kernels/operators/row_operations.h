// The operations on rows, element by element, for the CPU's variants and the GPU's. A row has up to two
// statistics, each over all of its elements and known before the next one:
//   part(s, x, known, columns)   the element's part of statistic s
//   totals[s]                    how parts are put together
//   finish(s, total, columns)    the statistic
// value() is the result's element. Arithmetic is in float32.
#pragma once

#include <cmath>

#include "kernels/host_device.h"

namespace operators {

inline constexpr float epsilon = 1e-5F;  // of both norms
inline constexpr float log2_e = 1.44269504F;

enum class Total { sum, largest };

// 2^x. On a GPU it is right to some 2^-22, because the last bits would take many instructions.
KERNELS_BOTH float power_of_two(float exponent) {
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return power;
#else
  return exp2f(exponent);
#endif
}
KERNELS_BOTH float quotient(float dividend, float divisor) {
#ifdef __CUDA_ARCH__
  return __fdividef(dividend, divisor);
#else
  return dividend / divisor;
#endif
}
KERNELS_BOTH float inverse_root(float square) {
#ifdef __CUDA_ARCH__
  return rsqrtf(square);
#else
  return 1.0F / sqrtf(square);
#endif
}

// One element's inputs; those that an operation does not have are 0.
struct Element {
  float x;
  float second;
  float weight;
  float bias;
};

// y = x / sqrt(mean(x^2) + epsilon) * weight: Zhang and Sennrich, "Root Mean Square Layer Normalization"
// (2019).
struct RmsNorm {
  static constexpr int statistics = 1;
  static constexpr bool weighted = true, biased = false, paired = false;
  static constexpr Total totals[2] = {Total::sum, Total::sum};
  static KERNELS_BOTH float part(int, float x, const float*) { return x * x; }
  static KERNELS_BOTH float finish(int, float sum, float columns) {
    return inverse_root(quotient(sum, columns) + epsilon);
  }
  static KERNELS_BOTH float value(const Element& of, const float* known) {
    return of.x * known[0] * of.weight;
  }
};

// y = (x - mean) / sqrt(variance + epsilon) * weight + bias: Ba, Kiros and Hinton, "Layer Normalization"
// (2016). The variance is taken around the mean, so that nothing cancels.
struct LayerNorm {
  static constexpr int statistics = 2;
  static constexpr bool weighted = true, biased = true, paired = false;
  static constexpr Total totals[2] = {Total::sum, Total::sum};
  static KERNELS_BOTH float part(int statistic, float x, const float* known) {
    return statistic == 0 ? x : (x - known[0]) * (x - known[0]);
  }
  static KERNELS_BOTH float finish(int statistic, float sum, float columns) {
    return statistic == 0 ? sum / columns : inverse_root(quotient(sum, columns) + epsilon);
  }
  static KERNELS_BOTH float value(const Element& of, const float* known) {
    return (of.x - known[0]) * known[1] * of.weight + of.bias;
  }
};

// y = e^(x - largest) / sum of e^(x - largest).
struct Softmax {
  static constexpr int statistics = 2;
  static constexpr bool weighted = false, biased = false, paired = false;
  static constexpr Total totals[2] = {Total::largest, Total::sum};
  static KERNELS_BOTH float part(int statistic, float x, const float* known) {
    return statistic == 0 ? x : power_of_two((x - known[0]) * log2_e);
  }
  static KERNELS_BOTH float finish(int statistic, float total, float) {
    return statistic == 0 ? total : 1.0F / total;
  }
  static KERNELS_BOTH float value(const Element& of, const float* known) {
    return power_of_two((of.x - known[0]) * log2_e) * known[1];
  }
};

// An operation without statistics.
struct Elementwise {
  static constexpr int statistics = 0;
  static constexpr bool weighted = false, biased = false;
  static constexpr Total totals[2] = {Total::sum, Total::sum};
  static KERNELS_BOTH float part(int, float x, const float*) { return x; }
  static KERNELS_BOTH float finish(int, float sum, float) { return sum; }
};

// y = x / (1 + e^-x)
struct Silu : Elementwise {
  static constexpr bool paired = false;
  static KERNELS_BOTH float value(const Element& of, const float*) {
    return quotient(of.x, 1.0F + power_of_two(-of.x * log2_e));
  }
};

struct Multiply : Elementwise {
  static constexpr bool paired = true;
  static KERNELS_BOTH float value(const Element& of, const float*) { return of.x * of.second; }
};

// y = silu(x) second: Shazeer, "GLU Variants Improve Transformer" (2020), without the products.
struct SwiGlu : Elementwise {
  static constexpr bool paired = true;
  static KERNELS_BOTH float value(const Element& of, const float* known) {
    return Silu::value(of, known) * of.second;
  }
};

}  // namespace operators
