// classifier/e5m2: three bits of a significand.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(e5m2, E5m2, "E5M2 with a scale a layer for weights and a calibrated one for activations",
             .weights = harness::sdk::DType::e5m2, .one_scale = true, .activations = Activations::calibrated,
             .tolerance = 0.12)
