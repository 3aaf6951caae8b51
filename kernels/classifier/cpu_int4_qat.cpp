// classifier/int4_qat: another network than the oracle's, hence the wide contract. Its accuracy is what
// counts.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(int4_qat, Int4Qat, "int4 with a network that was trained on with that rounding",
             .weights = harness::sdk::DType::i4, .group = group, .activations = Activations::f16,
             .network = int4_qat_index, .tolerance = 0.2)
