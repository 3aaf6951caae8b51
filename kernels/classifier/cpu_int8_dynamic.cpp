// classifier/int8_dynamic: the scale of activations is found in the call, for each picture.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(int8_dynamic, Int8Dynamic, "int8 weights by output, int8 activations by picture",
             .weights = harness::sdk::DType::i8, .activations = Activations::dynamic, .tolerance = 1.5e-2)
