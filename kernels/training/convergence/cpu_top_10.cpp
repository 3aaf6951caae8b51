#include "kernels/training/convergence/cpu_course.h"

namespace training {
using CourseTop10 = CpuCourse<Numbers::exact, CompressedGradients<compression::Form::largest, 10>>;
}

HARNESS_VARIANT(convergence, top_10, cpu,
                "one thread, float32; gradients of the largest 10 %, with error feedback",
                training::CourseTop10)
