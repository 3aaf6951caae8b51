// classifier/int8_qat: another network than the oracle's, hence the wide contract. Its accuracy is what
// counts.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(int8_qat, Int8Qat, "int8_calibrated with a network that was trained on with that rounding",
             .weights = harness::sdk::DType::i8, .activations = Activations::calibrated,
             .network = int8_qat_index, .tolerance = 0.2)
