#include "kernels/training/convergence/cpu_course.h"

namespace training {
using CourseBf16 = CpuCourse<Numbers::bf16>;
}

HARNESS_VARIANT(convergence, bf16_emulated, cpu,
                "one thread, float32 with the operands of products rounded to BF16", training::CourseBf16)
