#include "kernels/training/convergence/cuda_course.cuh"

namespace training {
using CourseBf16Top1 = CudaCourse<Precision::bf16, CompressedGradients<compression::Form::largest, 1>>;
}

HARNESS_VARIANT(convergence, bf16_top_1, cuda, "as bf16; gradients of the largest 1 %, with error feedback",
                training::CourseBf16Top1)
