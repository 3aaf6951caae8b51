// The x86-64 instruction sets of this processor.
#include "kernels/cpu/isa.h"

namespace kernels {

const Isa& best_isa() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return *isa_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return *isa_avx2;
  return *isa_baseline;
}

}  // namespace kernels
