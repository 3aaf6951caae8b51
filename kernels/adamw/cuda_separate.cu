#include "kernels/adamw/cuda_step.cuh"

namespace adamw {
using CudaSeparate = AdamWVariant<Passes::separate, CudaStep>;
}

HARNESS_VARIANT(adamw, separate, cuda, "a kernel for each of five parts, as calls of a library",
                adamw::CudaSeparate)
