#include "kernels/training/step/cpu_step.h"

namespace training {
using StepFp8 = CpuStep<Numbers::fp8>;
}

HARNESS_VARIANT(training_step, fp8_emulated, cpu,
                "one thread, float32 with the operands of linear layers rounded to E4M3 and E5M2",
                training::StepFp8)
