#include "kernels/operators/cpu_rows.h"

HARNESS_VARIANT(softmax, threads_fused, cpu, "threads; a row is finished while it is in the cache",
                operators::CpuFused<operators::Softmax>)
