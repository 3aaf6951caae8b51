#include "kernels/operators/cpu_rows.h"

HARNESS_VARIANT(softmax, threads_separate, cpu, "threads; all maxima, all sums, then the results",
                operators::CpuSeparate<operators::Softmax>)
