#include "kernels/training/convergence/cuda_course.cuh"

namespace training {
using CourseFp8Current = CudaCourse<Precision::fp8_current>;
}

HARNESS_VARIANT(convergence, fp8_current, cuda,
                "linear layers in E4M3, gradients E5M2, scaled by each operand", training::CourseFp8Current)
