#include "kernels/training/step/cuda_step.h"

namespace training {
using StepFp8Current = CudaStep<Precision::fp8_current>;
}

HARNESS_VARIANT(training_step, fp8_current, cuda,
                "linear layers in E4M3, gradients E5M2, scaled by the largest magnitude of each operand",
                training::StepFp8Current)
