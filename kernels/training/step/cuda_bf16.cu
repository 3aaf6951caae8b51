#include "kernels/training/step/cuda_step.h"

namespace training {
using StepBf16 = CudaStep<Precision::bf16>;
}

HARNESS_VARIANT(training_step, bf16, cuda, "cuBLASLt in BF16, and own kernels between its products",
                training::StepBf16)
