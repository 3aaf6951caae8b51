// offloaded_adamw/threads: on a CPU, where all memory is the host's.
#include "kernels/adamw/cpu_step.h"

namespace adamw {
using ThreadsOnHost = AdamWVariant<Passes::fused, CpuStep>;
}

HARNESS_VARIANT(offloaded_adamw, threads, cpu, "threads; one pass", adamw::ThreadsOnHost)
