#include "kernels/training/step/cpu_step.h"

namespace training {
using StepF32 = CpuStep<Numbers::exact>;
}

HARNESS_VARIANT(training_step, f32, cpu, "one thread, float32", training::StepF32)
