// product_oracle(): the right answer of a matrix product, in double precision on the inputs as stored. Plain:
// every sum runs over k in order, whatever threads share the elements. Host code, no state.
#pragma once

#include <cstdint>
#include <span>

#include "harness/sdk/workload.h"
#include "kernels/product_shape.h"

namespace kernels {

// to[i] = tensor.at(first + i), for oracles that read 10^8 elements: the type is selected once.
void widen(const harness::sdk::HostTensor& tensor, std::int64_t first, std::span<double> to);

// expected[e] = element wanted[e] (row-major) of X W, or of X diag(factors) W where there are k factors.
void product_oracle(const ProductShape& shape, const harness::sdk::HostTensor& x,
                    const harness::sdk::HostTensor& w, std::span<const std::int64_t> wanted,
                    std::span<double> expected, std::span<const double> factors = {});

// y += X W in double precision for a few rows of X, where W has rows of n elements. Plain: a stretch of
// columns at a time, whose sums stay in the cache.
void add_product_of_rows(std::span<const double> x, std::span<const float> w, std::size_t n, double* y);

}  // namespace kernels
