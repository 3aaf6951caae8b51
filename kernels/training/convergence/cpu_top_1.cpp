#include "kernels/training/convergence/cpu_course.h"

namespace training {
using CourseTop1 = CpuCourse<Numbers::exact, CompressedGradients<compression::Form::largest, 1>>;
}

HARNESS_VARIANT(convergence, top_1, cpu,
                "one thread, float32; gradients of the largest 1 %, with error feedback",
                training::CourseTop1)
