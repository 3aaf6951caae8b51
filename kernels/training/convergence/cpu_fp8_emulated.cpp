#include "kernels/training/convergence/cpu_course.h"

namespace training {
using CourseFp8 = CpuCourse<Numbers::fp8>;
}

HARNESS_VARIANT(convergence, fp8_emulated, cpu,
                "one thread, float32 with the operands of linear layers rounded to E4M3 and E5M2",
                training::CourseFp8)
