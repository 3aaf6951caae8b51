// matmul/naive: see naive.cuh.
#include "kernels/matmul/rungs/naive.cuh"

#include "kernels/matmul/rungs/run_rung.cuh"

MATMUL_RUNG(naive, Naive, "one thread an element, uncoalesced",
            "CUDA cores have no TF32: this rung multiplies f32, f16 and bf16", ptx::F32, ptx::F16, ptx::BF16)
