#include "kernels/training/convergence/cpu_course.h"

namespace training {
using CourseF32 = CpuCourse<Numbers::exact>;
}

HARNESS_VARIANT(convergence, f32, cpu, "one thread, float32", training::CourseF32)
