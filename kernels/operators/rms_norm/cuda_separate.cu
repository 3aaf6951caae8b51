#include "kernels/operators/cuda_rows.cuh"

HARNESS_VARIANT(rms_norm, separate, cuda, "a kernel for the mean square, a kernel for the result",
                operators::CudaSeparate<operators::RmsNorm>)
