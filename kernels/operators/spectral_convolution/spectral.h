// The problem spectral_convolution as every variant sees it, with b pictures of c channels of n x n points:
//   X = the two-dimensional Fourier transform of each x, at the lowest `modes` frequencies of each sign down,
//       and those from 0 up across: 2 modes x modes of them
//   Y[b][o] = sum over i of X[b][i] w[i][o], frequency by frequency
//   y = the inverse transform of Y, real, where all other frequencies are 0
// Li et al., "Fourier Neural Operator for Parametric Partial Differential Equations" (2021), as its authors'
// program has it. All tensors are row-major, dense and float32; w is complex. Header-only, host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "harness/sdk/params.h"

namespace operators::spectral {

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t x_index = 0;  // (b, c, n, n)
inline constexpr std::size_t w_index = 1;  // (c, c, 2 modes, modes, 2): the last are real and imaginary part
inline constexpr std::size_t y_index = 2;  // (b, c, n, n)

struct Shape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t side = 64;
  std::int64_t modes = 16;

  [[nodiscard]] std::int64_t planes() const { return batch * channels; }
  [[nodiscard]] std::int64_t points() const { return side * side; }             // of a plane
  [[nodiscard]] std::int64_t frequencies() const { return 2 * modes * modes; }  // likewise, that are kept
  // Row `row` of those kept is this frequency, mod `side`.
  [[nodiscard]] std::int64_t frequency(std::int64_t row) const {
    return row < modes ? row : side - 2 * modes + row;
  }
};

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of this
// workload. Throws Unsupported where frequencies of both signs would meet.
inline Shape shape_of(const harness::sdk::Params& params) {
  const Shape shape = {params.integer("b"), params.integer("c"), params.integer("n"),
                       params.integer("modes")};
  if (shape.side < 4 * shape.modes || shape.side % 2 != 0)
    throw harness::sdk::Unsupported("n must be even and at least 4 modes, which is " +
                                    std::to_string(4 * shape.modes));
  return shape;
}

// Shared by the CUDA variants, whose kernels have 16 modes: extents that fit 32-bit arithmetic, and grids.
// Throws Unsupported otherwise.
inline const Shape& require_launchable(const Shape& shape) {
  using harness::sdk::Unsupported;
  if (shape.modes != 16 || (shape.side != 64 && shape.side != 128))
    throw Unsupported("written for 16 modes and n = 64 or 128");
  if (shape.planes() > std::numeric_limits<std::int32_t>::max() / shape.points() / 2 ||
      shape.channels > 65535)
    throw Unsupported("needs at most 2^30 points");
  return shape;
}

// a b, where operator* would look for infinities.
template <class Real>
std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Transforms of planes, one after the other, only what is kept, by the definition of the transform along rows
// and then along columns. An object belongs to one thread.
template <class Real>
class Transform {
 public:
  using Complex = std::complex<Real>;

  explicit Transform(const Shape& shape)
      : shape_(shape), half_(static_cast<std::size_t>(2 * shape.side * shape.modes)) {
    for (std::int64_t i = 0; i < shape.side; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(shape.side);
      cosines_.push_back(static_cast<Real>(std::cos(angle)));
      sines_.push_back(static_cast<Real>(std::sin(angle)));
    }
  }

  // kept[2 modes][modes]
  void forward(const float* plane, Complex* kept) {
    const std::int64_t n = shape_.side, modes = shape_.modes;
    std::fill(half_.begin(), half_.end(), Real{0});
    for (std::int64_t row = 0; row < n; ++row) {
      Real *const real = half_.data() + 2 * row * modes, *const imaginary = real + modes;
      for (std::int64_t column = 0; column < n; ++column) {
        const auto value = static_cast<Real>(plane[row * n + column]);
        for (std::int64_t k = 0, at = 0; k < modes;
             ++k, at = at + column < n ? at + column : at + column - n) {
          real[k] += value * cosines_[static_cast<std::size_t>(at)];
          imaginary[k] -= value * sines_[static_cast<std::size_t>(at)];
        }
      }
    }
    for (std::int64_t j = 0; j < 2 * modes; ++j)
      for (std::int64_t k = 0; k < modes; ++k) {
        Complex sum = 0;
        for (std::int64_t row = 0; row < n; ++row)
          sum += product(Complex(half_[static_cast<std::size_t>(2 * row * modes + k)],
                                 half_[static_cast<std::size_t>((2 * row + 1) * modes + k)]),
                         std::conj(root(shape_.frequency(j) * row)));
        kept[j * modes + k] = sum;
      }
  }

  // One point of the inverse.
  Real inverse(const Complex* kept, std::int64_t row, std::int64_t column) const {
    const std::int64_t modes = shape_.modes;
    Real sum = 0;
    for (std::int64_t j = 0; j < 2 * modes; ++j)
      for (std::int64_t k = 0; k < modes; ++k)
        sum += static_cast<Real>(k == 0 ? 1 : 2) *
               product(kept[j * modes + k], root(shape_.frequency(j) * row + k * column)).real();
    return sum / static_cast<Real>(shape_.points());
  }

  // A whole plane of it.
  void inverse(const Complex* kept, float* plane) {
    const std::int64_t n = shape_.side, modes = shape_.modes;
    for (std::int64_t row = 0; row < n; ++row)
      for (std::int64_t k = 0; k < modes; ++k) {
        Complex sum = 0;
        for (std::int64_t j = 0; j < 2 * modes; ++j)
          sum += product(kept[j * modes + k], root(shape_.frequency(j) * row));
        const Real factor = static_cast<Real>(k == 0 ? 1 : 2) / static_cast<Real>(shape_.points());
        half_[static_cast<std::size_t>(2 * row * modes + k)] = factor * sum.real();
        half_[static_cast<std::size_t>((2 * row + 1) * modes + k)] = factor * sum.imag();
      }
    for (std::int64_t row = 0; row < n; ++row) {
      const Real *const real = half_.data() + 2 * row * modes, *const imaginary = real + modes;
      for (std::int64_t column = 0; column < n; ++column) {
        Real sum = 0;
        for (std::int64_t k = 0, at = 0; k < modes; ++k, at = at + column < n ? at + column : at + column - n)
          sum += real[k] * cosines_[static_cast<std::size_t>(at)] -
                 imaginary[k] * sines_[static_cast<std::size_t>(at)];
        plane[row * n + column] = static_cast<float>(sum);
      }
    }
  }

 private:
  // e^(2 pi i number / side)
  [[nodiscard]] Complex root(std::int64_t number) const {
    const auto at = static_cast<std::size_t>(number % shape_.side);
    return {cosines_[at], sines_[at]};
  }

  Shape shape_;
  std::vector<Real> cosines_, sines_;
  std::vector<Real> half_;  // [row][real, imaginary][mode]
};

// mixed[frequency] = sum over i of kept[i][frequency] w[i][o][frequency], for one picture and channel o.
template <class Real>
void mix(const Shape& shape, const std::complex<Real>* kept, const float* w, std::int64_t o,
         std::complex<Real>* mixed) {
  const std::int64_t frequencies = shape.frequencies();
  for (std::int64_t f = 0; f < frequencies; ++f) mixed[f] = 0;
  for (std::int64_t i = 0; i < shape.channels; ++i) {
    const float* const weights = w + (i * shape.channels + o) * frequencies * 2;
    for (std::int64_t f = 0; f < frequencies; ++f)
      mixed[f] += product(kept[i * frequencies + f],
                          {static_cast<Real>(weights[2 * f]), static_cast<Real>(weights[2 * f + 1])});
  }
}

}  // namespace operators::spectral
