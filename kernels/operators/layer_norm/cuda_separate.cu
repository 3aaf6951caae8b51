#include "kernels/operators/cuda_rows.cuh"

HARNESS_VARIANT(layer_norm, separate, cuda, "a kernel each for means, variances and the result",
                operators::CudaSeparate<operators::LayerNorm>)
