// The inner loops for the smallest vectors, which every target has.
#include "kernels/attention/cpu_isa_loops.h"

namespace attention {
namespace {
constexpr Isa isa = make_isa<16, 2>("baseline");
}
const Isa* const isa_baseline = &isa;
}  // namespace attention
