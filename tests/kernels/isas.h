// The instruction sets that this machine can run.
#pragma once

#include <vector>

#include "kernels/cpu/isa.h"

namespace kernels {

inline std::vector<const Isa*> usable_isas() {
  std::vector<const Isa*> all = {isa_baseline};
  const Isa& best = best_isa();
  if (isa_avx2 != nullptr && &best != isa_baseline) all.push_back(isa_avx2);
  if (&best != all.back()) all.push_back(&best);
  return all;
}

}  // namespace kernels
