// classifier/mxfp4: the weights of OCP MXFP4, emulated.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(mxfp4, Mxfp4,
             "E2M1 weights by groups of 32 with scales of powers of two, emulated; activations in float16",
             .weights = harness::sdk::DType::e2m1, .group = group, .power_of_two = true,
             .activations = Activations::f16, .tolerance = 0.2)
