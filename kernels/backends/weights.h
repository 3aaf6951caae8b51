// The weights of the networks, the same as networks.py has: f16 holds them exactly. Host code.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/backends/network.h"

namespace backends {

// Weight `at`, row-major, as bits of float16. Values keep the size of the sums that they are factors of.
inline std::vector<std::uint16_t> weight_values(const Shape& shape, std::size_t at) {
  constexpr std::size_t repeated = 65521;  // a prime: no two rows of a matrix are alike
  const WeightShape weight = weight_shapes(shape)[at];
  const double bound = std::sqrt(3.0 / static_cast<double>(inputs_of(shape.network, weight)));
  std::vector<std::uint16_t> values(repeated);
  std::uint32_t state = 20251002;
  for (std::uint16_t& value : values) {
    state = 1664525U * state + 1013904223U;
    value = harness::sdk::f16_from_float(static_cast<float>(bound * (state * 0x1p-31 - 1)));
  }
  std::vector<std::uint16_t> all(static_cast<std::size_t>(weight.elements()));
  std::size_t next = at * 4099 % repeated;
  for (std::uint16_t& value : all) {
    value = values[next];
    next = next + 1 == repeated ? 0 : next + 1;
  }
  return all;
}

// A convolution's weight (out, in, 3, 3) as the k x n of a product with a picture's neighbourhoods, which are
// (3, 3, in).
inline std::vector<std::uint16_t> product_weight(const std::vector<std::uint16_t>& weight,
                                                 std::int64_t channels) {
  std::vector<std::uint16_t> turned(weight.size());
  for (std::int64_t out = 0; out < channels; ++out)
    for (std::int64_t in = 0; in < channels; ++in)
      for (std::int64_t tap = 0; tap < 9; ++tap)
        turned[static_cast<std::size_t>((tap * channels + in) * channels + out)] =
            weight[static_cast<std::size_t>((out * channels + in) * 9 + tap)];
  return turned;
}

}  // namespace backends
