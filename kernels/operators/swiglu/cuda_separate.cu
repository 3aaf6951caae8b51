#include "kernels/operators/cuda_rows.cuh"

HARNESS_VARIANT(swiglu, separate, cuda, "a kernel for SiLU, a kernel for the product",
                operators::CudaSeparate<operators::SwiGlu>)
