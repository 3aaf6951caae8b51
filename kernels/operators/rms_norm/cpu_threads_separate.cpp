#include "kernels/operators/cpu_rows.h"

HARNESS_VARIANT(rms_norm, threads_separate, cpu, "threads; all mean squares, then the results",
                operators::CpuSeparate<operators::RmsNorm>)
