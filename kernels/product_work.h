// Limits and work that workloads with a matrix product share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/params.h"
#include "harness/sdk/workload.h"
#include "kernels/product_shape.h"

namespace kernels {

// Throws Unsupported where a matrix has more elements than any memory holds.
inline void require_possible_extents(const ProductShape& shape) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  constexpr double most_elements = 0x1p40;
  if (m * k > most_elements || k * n > most_elements || m * n > most_elements)
    throw harness::sdk::Unsupported("a matrix of more than 2^40 elements; choose smaller m, n or k");
}

// For CUDA variants: 16-bit elements, and extents that fit the libraries' 32-bit integers. Throws Unsupported
// otherwise.
inline const ProductShape& require_half_extents(const ProductShape& shape) {
  using harness::sdk::DType;
  using harness::sdk::Unsupported;
  if (shape.dtype != DType::f16 && shape.dtype != DType::bf16)
    throw Unsupported("runs on f16 and bf16 only, not on " + std::string(harness::sdk::name_of(shape.dtype)));
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1024;  // room to round up to tiles
  if (shape.m > most || shape.n > most || shape.k > most)
    throw Unsupported("m, n and k must each be at most " + std::to_string(most));
  return shape;
}

// Its 2mnk operations, and each matrix once through memory; items are rows of Y.
inline harness::sdk::Work work_of_product(const ProductShape& shape) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  const double element = static_cast<double>(harness::sdk::size_of(shape.dtype));
  return {2.0 * m * n * k, element * (m * k + k * n + m * n), m, "rows"};
}

// Relative Frobenius error that a correct product stays under, also between other operators. A 16-bit result
// that was rounded up to three times has an error of about 3.6e-4 (f16) or 2.9e-3 (bf16). Sums in float32 add
// about 6e-8 sqrt(k/6), which only f32 can see. With few elements the errors no longer average out and one
// cancelling sum can dominate, hence the allowance below 144 elements.
inline harness::sdk::Tolerance tolerance_of_product(const ProductShape& shape) {
  using harness::sdk::DType;
  const double k = static_cast<double>(shape.k);
  const double elements = static_cast<double>(shape.m) * static_cast<double>(shape.n);
  const double few = std::max(1.0, 12.0 / std::sqrt(elements));
  if (shape.dtype == DType::f16) return {6e-4 * few};
  if (shape.dtype == DType::bf16) return {4e-3 * few};
  return {1e-5 * few * std::max(1.0, std::sqrt(k / 16384.0))};
}

// Metrics that variants of a library report of their choice. A change of it changes the reference, not our
// code.
inline std::vector<harness::sdk::MetricSpec> metrics_of_library() {
  using harness::sdk::Better;
  return {{"algorithm", "", Better::lower, "the library's number of the algorithm in use"},
          {"algorithm_tile", "", Better::lower, "its tile, by cublasLtMatmulTile_t"},
          {"algorithm_stages", "", Better::lower, "its stages, by cublasLtMatmulStages_t"},
          {"algorithms_tried", "", Better::higher, "how many algorithms it was chosen from"}};
}

// Rounding Y (m x n) to f16 costs up to 2^-11 for each element: about 2e-4 in the norm. With few elements the
// errors do not average out.
inline harness::sdk::Tolerance tolerance_of_f16_product(std::int64_t m, std::int64_t n) {
  return {6e-4 * std::max(1.0, 12.0 / std::sqrt(static_cast<double>(m) * static_cast<double>(n)))};
}

// expected[e] = element(row, column) of Y for the elements `wanted` of its n columns, on threads. Each is a
// sum of k products.
template <class Element>
void answer_product(std::int64_t n, std::int64_t k, std::span<const std::int64_t> wanted,
                    std::span<double> expected, const Element& element) {
  const std::int64_t grain = std::max<std::int64_t>((std::int64_t{1} << 16) / k, 1);
  harness::sdk::in_parts(std::ssize(wanted), grain, [&](std::int64_t first, std::int64_t last) {
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e)
      expected[e] = element(wanted[e] / n, wanted[e] % n);
  });
}

}  // namespace kernels
