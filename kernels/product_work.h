// Limits and work that workloads with a matrix product share.
#pragma once

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

// Its 2mnk operations, and each matrix once through memory; items are rows of Y.
inline harness::sdk::Work work_of_product(const ProductShape& shape) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  const double element = static_cast<double>(harness::sdk::size_of(shape.dtype));
  return {2.0 * m * n * k, element * (m * k + k * n + m * n), m, "rows"};
}

}  // namespace kernels
