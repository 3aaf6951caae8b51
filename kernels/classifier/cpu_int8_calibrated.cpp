// classifier/int8_calibrated: the scale of activations was found before, on the training pictures.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(int8_calibrated, Int8Calibrated,
             "int8 weights by output, int8 activations by a range of the training pictures",
             .weights = harness::sdk::DType::i8, .activations = Activations::calibrated, .tolerance = 1.5e-2)
