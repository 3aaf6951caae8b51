#include "kernels/operators/cpu_rows.h"

HARNESS_VARIANT(swiglu, threads_fused, cpu, "threads; a row is finished while it is in the cache",
                operators::CpuFused<operators::SwiGlu>)
