#include "kernels/adamw/cpu_step.h"

namespace adamw {
using ThreadsFused = AdamWVariant<Passes::fused, CpuStep>;
}

HARNESS_VARIANT(adamw, threads_fused, cpu, "threads; one pass over weights, moments and gradients",
                adamw::ThreadsFused)
