#include "kernels/training/step/cpu_step.h"

namespace training {
using StepF32Recomputed = CpuStep<Numbers::exact, true>;
}

HARNESS_VARIANT(training_step, f32_recomputed, cpu, "as f32; layers are computed again in the backward pass",
                training::StepF32Recomputed)
