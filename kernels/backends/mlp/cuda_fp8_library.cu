#include "kernels/backends/cuda_library.h"

HARNESS_VARIANT(mlp, fp8_library, cuda, "calls of a library in FP8; x is rounded before each product",
                backends::Fp8Mlp<backends::Products::fp8>)
