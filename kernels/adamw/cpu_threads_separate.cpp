#include "kernels/adamw/cpu_step.h"

namespace adamw {
using ThreadsSeparate = AdamWVariant<Passes::separate, CpuStep>;
}

HARNESS_VARIANT(adamw, threads_separate, cpu, "threads; a pass for each of five parts, as calls of a library",
                adamw::ThreadsSeparate)
