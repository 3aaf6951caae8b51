#include "kernels/training/convergence/cuda_course.cuh"

namespace training {
using CourseBf16Top10 = CudaCourse<Precision::bf16, CompressedGradients<compression::Form::largest, 10>>;
}

HARNESS_VARIANT(convergence, bf16_top_10, cuda, "as bf16; gradients of the largest 10 %, with error feedback",
                training::CourseBf16Top10)
