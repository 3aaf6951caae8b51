#include "kernels/training/convergence/cpu_course.h"

namespace training {
using CourseInt8 = CpuCourse<Numbers::exact, CompressedGradients<compression::Form::int8>>;
}

HARNESS_VARIANT(convergence, int8, cpu,
                "one thread, float32; gradients in INT8 with a scale a block, with error feedback",
                training::CourseInt8)
