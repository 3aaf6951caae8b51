// add_product(): a product of matrices on the CPU in float or double, for right answers. Its inner loops are
// those of Isa. Each sum goes over its terms in their order, wherever its element lies and however many
// threads there are; only a fused multiply-add rounds less than two instructions do.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/sdk/fresh_pages.h"
#include "kernels/cpu/isa.h"

namespace kernels {

// a: rows x inner, its elements these steps apart.
template <class Real>
struct Strided {
  const Real* first;
  std::int64_t row_step;
  std::int64_t inner_step;
};

// Memory for the right factor as the loops read it; kept by a caller, because fresh pages cost time.
template <class Real>
using Panels = std::vector<Real, harness::sdk::FreshPages<Real>>;

// c += a b, where b is inner x columns and c rows x columns, both row-major without gaps.
template <class Real>
void add_product(const Strided<Real>& a, const Real* b, Real* c, std::int64_t rows, std::int64_t inner,
                 std::int64_t columns, Panels<Real>& panels, int threads, const Isa& isa = best_isa());

}  // namespace kernels
