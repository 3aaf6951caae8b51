#include "kernels/adamw/cuda_step.cuh"

namespace adamw {
using CudaFused = AdamWVariant<Passes::fused, CudaStep>;
}

HARNESS_VARIANT(adamw, fused, cuda, "one kernel", adamw::CudaFused)
