// matmul/wmma: see wmma.cuh.
#include "kernels/matmul/rungs/wmma.cuh"

#include "kernels/matmul/rungs/run_rung.cuh"

MATMUL_RUNG(wmma, Wmma, "Tensor Cores by nvcuda::wmma, nothing overlapped",
            "this rung multiplies f16 and bf16", ptx::F16, ptx::BF16)
