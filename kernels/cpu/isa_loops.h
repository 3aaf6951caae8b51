// The bodies behind Isa (isa.h). Included by one source file per instruction set, each compiled with
// flags of its own. Everything is in an unnamed namespace and no inline function of another header is
// called: a shared inline function compiled for AVX-512 here could be the copy the linker keeps for all.
// NOLINTBEGIN(misc-definitions-in-headers,modernize-use-using,bugprone-implicit-widening-of-multiplication-result)
#pragma once

#include <cstdint>

#include "kernels/cpu/isa.h"

namespace kernels {
namespace {

template <class Real, int Bytes>
struct Vector {
  typedef Real Type __attribute__((vector_size(Bytes)));
};

// Rows x Vectors vectors of sums stay in registers for the whole depth.
template <class Real, int Bytes, int Rows, int Vectors>
void multiply(const Real* a, std::int64_t a_stride, const Real* b, std::int64_t depth, Real* c,
              std::int64_t c_stride) {
  using Lanes = typename Vector<Real, Bytes>::Type;
  constexpr int width = Bytes / static_cast<int>(sizeof(Real));
  Lanes sums[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      __builtin_memcpy(&sums[r][v], c + r * c_stride + v * width, sizeof(Lanes));
  for (std::int64_t p = 0; p < depth; ++p) {
    Lanes row[Vectors];
    for (int v = 0; v < Vectors; ++v) __builtin_memcpy(&row[v], b + (p * Vectors + v) * width, sizeof(Lanes));
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) sums[r][v] += a[r * a_stride + p] * row[v];
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      __builtin_memcpy(c + r * c_stride + v * width, &sums[r][v], sizeof(Lanes));
}

void add_four_rows(const double* factors, const float* rows, std::int64_t stride, double* sums,
                   std::int64_t count) {
  const double f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
  for (std::int64_t j = 0; j < count; ++j) {
    double sum = sums[j] + f0 * static_cast<double>(rows[j]);
    sum += f1 * static_cast<double>(rows[stride + j]);
    sum += f2 * static_cast<double>(rows[2 * stride + j]);
    sums[j] = sum + f3 * static_cast<double>(rows[3 * stride + j]);
  }
}

// The conversions are those of harness/sdk/dtype.h, written without branches so that they vectorise; the
// tests compare all 65,536 values.
inline float float_of_f16(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(half & 0x7FFFU) << 13;
  const float tiny = __builtin_bit_cast(float, rest + 0x38800000U) - 0x1p-14F;
  const std::uint32_t infinite = rest >= 0x0F800000U ? 0x38000000U : 0U;
  std::uint32_t bits = rest + 0x38000000U + infinite;
  bits = rest < 0x00800000U ? __builtin_bit_cast(std::uint32_t, tiny) : bits;
  return __builtin_bit_cast(float, bits | sign);
}

inline std::uint16_t f16_of_float(float value) {
  const std::uint32_t all = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = (all >> 16) & 0x8000U;
  const std::uint32_t size = all & 0x7FFFFFFFU;
  const float shifted = __builtin_bit_cast(float, size) + 0.5F;
  const std::uint32_t tiny = __builtin_bit_cast(std::uint32_t, shifted) - 0x3F000000U;
  std::uint32_t bits = (size + 0xC8000FFFU + ((size >> 13) & 1U)) >> 13;
  bits = size < 0x38800000U ? tiny : bits;
  bits = size >= 0x477FF000U ? 0x7C00U : bits;
  bits = size > 0x7F800000U ? 0x7E00U : bits;
  return static_cast<std::uint16_t>(bits | sign);
}

inline float float_of_bf16(std::uint16_t half) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(half) << 16);
}

inline std::uint16_t bf16_of_float(float value) {
  const std::uint32_t all = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t rounded = (all + 0x7FFFU + ((all >> 16) & 1U)) >> 16;
  const std::uint32_t quiet = (all >> 16) | 0x40U;
  return static_cast<std::uint16_t>((all & 0x7FFFFFFFU) > 0x7F800000U ? quiet : rounded);
}

template <float (*Convert)(std::uint16_t)>
void widen(const std::uint16_t* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = Convert(from[i]);
}

template <std::uint16_t (*Convert)(float)>
void narrow(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = Convert(from[i]);
}

// The splitmix64 finaliser (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

// An element's number becomes its random bits, so that any thread can draw any element: a grid of 2^24 steps
// in (-1, 1), never exactly zero. No sum follows a product of floats, so no instruction set fuses the two.
void draw(std::uint64_t seed, std::uint64_t stream, std::int64_t first, float size, float* values,
          std::int64_t count) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  const std::uint64_t key = mixed(mixed(seed + golden) + stream + 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mixed(key + golden * static_cast<std::uint64_t>(first + i + 1));
    const auto step = static_cast<std::int32_t>(bits >> 40);  // signed: vectors convert those alone
    values[i] = (static_cast<float>(step) - 8388607.5F) * 0x1p-23F * size;
  }
}

// e^x to about 2 units in the last place on [-87, 88], clamped outside; NaN stays NaN. Cody and Waite's
// reduction x = i ln2 + f, then a polynomial in f (coefficients of Cephes expf, Moshier 1992).
inline float exponential(float x) {
  x = x < -87.0F ? -87.0F : x;
  x = x > 88.0F ? 88.0F : x;
  constexpr float magic = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = x * 1.44269504F + magic;
  const float whole = shifted - magic;
  const float f = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * f + 1.3981999507e-3F;
  p = p * f + 8.3334519073e-3F;
  p = p * f + 4.1665795894e-2F;
  p = p * f + 1.6666665459e-1F;
  p = p * f + 5.0000001201e-1F;
  p = p * f * f + f + 1.0F;
  const std::uint32_t scale = (__builtin_bit_cast(std::uint32_t, shifted) - 0x4B400000U + 127U) << 23;
  return p * __builtin_bit_cast(float, scale);
}

// 0.5 x (1 + tanh u) is x / (1 + e^-2u), which needs no tanh.
inline float gelu_tanh_of(float x) {
  const float u = 0.797884561F * (x + 0.044715F * x * x * x);
  return x / (1.0F + exponential(-2.0F * u));
}

// erf by Abramowitz and Stegun 7.1.26: absolute error at most 1.5e-7.
inline float gelu_erf_of(float x) {
  const float z = (x < 0.0F ? -x : x) * 0.707106781F;
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  float p = 1.061405429F;
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const float tail = 0.5F * p * t * exponential(-z * z);  // the normal distribution function at -|x|
  return x * (x < 0.0F ? tail : 1.0F - tail);
}

template <float (*Function)(float)>
void apply(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = Function(values[i]);
}

void add(const float* bias, float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] += bias[i];
}

// Sixteen running values, so that the order of the operations is the same for any width of vectors.
float largest(const float* values, std::int64_t count, float floor) {
  float lanes[16];
  for (float& lane : lanes) lane = floor;
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    for (int lane = 0; lane < 16; ++lane)
      lanes[lane] = values[i + lane] > lanes[lane] ? values[i + lane] : lanes[lane];
  float top = floor;
  for (const float lane : lanes) top = lane > top ? lane : top;
  for (; i < count; ++i) top = values[i] > top ? values[i] : top;
  return top;
}

inline float vanishing_exponential(float x) {
  const float value = exponential(x);
  return x < -87.0F ? 0.0F : value;
}

float exponentials(float* values, std::int64_t count, float top) {
  float lanes[16] = {};
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    for (int lane = 0; lane < 16; ++lane) {
      values[i + lane] = vanishing_exponential(values[i + lane] - top);
      lanes[lane] += values[i + lane];
    }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (; i < count; ++i) sum += values[i] = vanishing_exponential(values[i] - top);
  return sum;
}

void scale(float* values, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

template <int Bytes, int Rows, int Vectors>
constexpr Isa make_isa(const char* name) {
  return {name,
          Rows,
          Vectors * Bytes / 4,
          multiply<float, Bytes, Rows, Vectors>,
          multiply<double, Bytes, Rows, Vectors>,
          add_four_rows,
          widen<float_of_f16>,
          widen<float_of_bf16>,
          narrow<f16_of_float>,
          narrow<bf16_of_float>,
          draw,
          add,
          apply<gelu_tanh_of>,
          apply<gelu_erf_of>,
          largest,
          exponentials,
          scale};
}

}  // namespace
}  // namespace kernels
// NOLINTEND(misc-definitions-in-headers,modernize-use-using,bugprone-implicit-widening-of-multiplication-result)
