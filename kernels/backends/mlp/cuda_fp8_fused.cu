#include "kernels/backends/cuda_library.h"

HARNESS_VARIANT(mlp, fp8_fused, cuda, "products in FP8 whose epilogue has relu and rounds the next one's x",
                backends::Fp8Mlp<backends::Products::fp8_chained>)
