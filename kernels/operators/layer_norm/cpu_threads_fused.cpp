#include "kernels/operators/cpu_rows.h"

HARNESS_VARIANT(layer_norm, threads_fused, cpu, "threads; a row is finished while it is in the cache",
                operators::CpuFused<operators::LayerNorm>)
