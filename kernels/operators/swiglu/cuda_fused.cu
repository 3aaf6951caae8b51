#include "kernels/operators/cuda_rows.cuh"

HARNESS_VARIANT(swiglu, fused, cuda, "one kernel: a row is read once and stays in registers",
                operators::CudaFused<operators::SwiGlu>)
