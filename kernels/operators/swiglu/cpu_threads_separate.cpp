#include "kernels/operators/cpu_rows.h"

HARNESS_VARIANT(swiglu, threads_separate, cpu, "threads; SiLU of all, then the product",
                operators::CpuSeparate<operators::SwiGlu>)
