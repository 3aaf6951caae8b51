// classifier/fp32: the reference of all modes.
#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"

HARNESS_MODE(fp32, Fp32, "float32 throughout", .tolerance = 1e-5)
