#include "kernels/training/convergence/cuda_course.cuh"

namespace training {
using CourseBf16Int8 = CudaCourse<Precision::bf16, CompressedGradients<compression::Form::int8>>;
}

HARNESS_VARIANT(convergence, bf16_int8, cuda,
                "as bf16; gradients in INT8 with a scale a block, with error feedback",
                training::CourseBf16Int8)
