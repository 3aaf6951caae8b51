// matmul/gemv: see gemv.cuh.
#include "kernels/matmul/rungs/gemv.cuh"

#include "kernels/matmul/rungs/run_rung.cuh"

MATMUL_RUNG(gemv, Gemv, "at most 4 rows of A: B straight from memory, once",
            "it reads pieces of 8 halves: this rung multiplies f16 and bf16", ptx::F16, ptx::BF16)
