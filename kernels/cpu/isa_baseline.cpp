// The inner loops for any processor: 128-bit vectors.
#include "kernels/cpu/isa_loops.h"

namespace kernels {
namespace {
constexpr Isa isa = make_isa<16, 4, 2>("baseline");
}
const Isa* const isa_baseline = &isa;
}  // namespace kernels
