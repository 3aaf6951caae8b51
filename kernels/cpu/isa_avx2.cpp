// The inner loops for AVX2 and FMA: 6 x 16 sums in 12 of 16 registers.
#include "kernels/cpu/isa_loops.h"

namespace kernels {
namespace {
constexpr Isa isa = make_isa<32, 6, 2>("avx2");
}
const Isa* const isa_avx2 = &isa;
}  // namespace kernels
