// matmul/shared: see shared.cuh.
#include "kernels/matmul/rungs/shared.cuh"

#include "kernels/matmul/rungs/run_rung.cuh"

MATMUL_RUNG(shared, Shared, "32 x 32 tiles in shared memory",
            "CUDA cores have no TF32: this rung multiplies f32, f16 and bf16", ptx::F32, ptx::F16, ptx::BF16)
