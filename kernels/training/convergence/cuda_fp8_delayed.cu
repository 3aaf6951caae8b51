#include "kernels/training/convergence/cuda_course.cuh"

namespace training {
using CourseFp8Delayed = CudaCourse<Precision::fp8_delayed>;
}

HARNESS_VARIANT(convergence, fp8_delayed, cuda,
                "linear layers in E4M3, gradients E5M2, scaled by the operands of the step before",
                training::CourseFp8Delayed)
