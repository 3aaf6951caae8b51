// The problem probe_gelu, y = gelu(x) element by element, as its variants see it. Header-only host code.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/sdk/params.h"

namespace probe {

inline constexpr std::int64_t most_gelu_elements = std::int64_t{1} << 36;

struct GeluShape {
  harness::sdk::DType dtype = harness::sdk::DType::f32;
  std::int64_t elements = 1;  // n times factor, rounded
};

// Throws Unsupported where factor or the product is out of bounds.
inline GeluShape gelu_shape(const harness::sdk::Params& params) {
  const double factor = params.real("factor");
  if (!(factor >= 0.01 && factor <= 100)) throw harness::sdk::Unsupported("factor must lie in [0.01, 100]");
  const double elements = std::round(static_cast<double>(params.integer("n")) * factor);
  if (!(elements >= 1 && elements <= static_cast<double>(most_gelu_elements)))
    throw harness::sdk::Unsupported("n times factor must lie in [1, 2^36]");
  return {params.dtype(), static_cast<std::int64_t>(elements)};
}

// How many elements a build with HARNESS_SLOWER=`percent` works through on top, in scratch memory:
// whole groups of eight, rounded up, so that any percent above 0 is some work.
inline std::int64_t extra_elements(std::int64_t elements, double percent) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(elements) * percent / 800)) * 8;
}

}  // namespace probe
