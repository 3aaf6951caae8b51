// The inner loops for AVX2 and FMA, 4 x 16 sums in 8 of 16 registers.
#include "kernels/attention/cpu_isa_loops.h"

namespace attention {
namespace {
constexpr Isa isa = make_isa<32, 2>("avx2");
}
const Isa* const isa_avx2 = &isa;
}  // namespace attention
