// The inner loops for AVX-512: 12 x 32 sums in 24 of 32 registers.
#include "kernels/cpu/isa_loops.h"

namespace kernels {
namespace {
constexpr Isa isa = make_isa<64, 12, 2>("avx512");
}
const Isa* const isa_avx512 = &isa;
}  // namespace kernels
