#include "kernels/operators/cpu_rows.h"

HARNESS_VARIANT(layer_norm, threads_separate, cpu, "threads; all means, all variances, then the results",
                operators::CpuSeparate<operators::LayerNorm>)
