#include "kernels/training/step/cpu_step.h"

namespace training {
using StepBf16 = CpuStep<Numbers::bf16>;
}

HARNESS_VARIANT(training_step, bf16_emulated, cpu,
                "one thread, float32 with the operands of products rounded to BF16", training::StepBf16)
