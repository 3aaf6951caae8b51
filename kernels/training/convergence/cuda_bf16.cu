#include "kernels/training/convergence/cuda_course.cuh"

namespace training {
using CourseBf16 = CudaCourse<Precision::bf16>;
}

HARNESS_VARIANT(convergence, bf16, cuda, "cuBLASLt in BF16, and own kernels between its products",
                training::CourseBf16)
