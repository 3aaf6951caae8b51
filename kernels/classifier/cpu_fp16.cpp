// classifier/fp16: a step of float16 is 2^-11 of a value.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(fp16, Fp16, "weights and activations in float16, sums in float32",
             .weights = harness::sdk::DType::f16, .activations = Activations::f16, .tolerance = 6e-4)
