// matmul/coalesced: see coalesced.cuh.
#include "kernels/matmul/rungs/coalesced.cuh"

#include "kernels/matmul/rungs/run_rung.cuh"

MATMUL_RUNG(coalesced, Coalesced, "one thread an element, neighbours along a row",
            "CUDA cores have no TF32: this rung multiplies f32, f16 and bf16", ptx::F32, ptx::F16, ptx::BF16)
