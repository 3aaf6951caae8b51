// Shared by the CPU variants of linear_gelu beyond the product: GELU over float32 values. Host code; no
// state.
#pragma once

#include "kernels/cpu/blocked_product.h"
#include "kernels/linear_gelu/linear_gelu.h"

namespace linear_gelu {

using kernels::BlockedProduct;
using kernels::Isa;
using kernels::Tile;

// In place, in the form of `shape`.
inline void apply_gelu(const Isa& isa, const Shape& shape, float* values, std::int64_t count) {
  (shape.gelu == Gelu::erf_form ? isa.gelu_erf : isa.gelu_tanh)(values, count);
}

}  // namespace linear_gelu
