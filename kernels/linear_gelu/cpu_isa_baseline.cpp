// The inner loops for any processor: 128-bit vectors.
#include "kernels/linear_gelu/cpu_isa_loops.h"

namespace linear_gelu {
namespace {
constexpr Isa isa = make_isa<16, 4, 2>("baseline");
}
const Isa* const isa_baseline = &isa;
}  // namespace linear_gelu
