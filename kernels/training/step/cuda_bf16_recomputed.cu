#include "kernels/training/step/cuda_step.h"

namespace training {
using StepBf16Recomputed = CudaStep<Precision::bf16, true>;
}

HARNESS_VARIANT(training_step, bf16_recomputed, cuda,
                "as bf16; layers are computed again in the backward pass", training::StepBf16Recomputed)
