// classifier/e4m3: four bits of a significand.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(e4m3, E4m3, "E4M3 with a scale a layer for weights and a calibrated one for activations",
             .weights = harness::sdk::DType::e4m3, .one_scale = true, .activations = Activations::calibrated,
             .tolerance = 6e-2)
