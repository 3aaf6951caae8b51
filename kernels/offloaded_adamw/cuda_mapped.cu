// offloaded_adamw/mapped: the one pass of adamw/fused, which reads and writes the moments over the link.
#include "kernels/adamw/cuda_step.cuh"

namespace adamw {
using CudaMapped = AdamWVariant<Passes::fused, CudaStep>;
}

HARNESS_VARIANT(offloaded_adamw, mapped, cuda, "one kernel, over the link", adamw::CudaMapped)
