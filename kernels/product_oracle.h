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

}  // namespace kernels
