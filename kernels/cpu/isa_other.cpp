// Built in place of the AVX files where the compiler's target is not x86-64.
#include "kernels/cpu/isa.h"

namespace kernels {
const Isa* const isa_avx2 = nullptr;
const Isa* const isa_avx512 = nullptr;
const Isa& best_isa() {
  return *isa_baseline;
}
}  // namespace kernels
