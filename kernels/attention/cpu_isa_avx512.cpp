// The inner loops for AVX-512, 4 x 32 sums in 8 of 32 registers.
#include "kernels/attention/cpu_isa_loops.h"

namespace attention {
namespace {
constexpr Isa isa = make_isa<64, 2>("avx512");
}
const Isa* const isa_avx512 = &isa;
}  // namespace attention
