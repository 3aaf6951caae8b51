// classifier/int4: weights alone are small.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(int4, Int4, "int4 weights by groups of 32, activations in float16",
             .weights = harness::sdk::DType::i4, .group = group, .activations = Activations::f16,
             .tolerance = 0.16)
