#include "kernels/backends/cuda_library.h"
#include "kernels/graph_kernel.cuh"

HARNESS_VARIANT(mlp, fp8_graph, cuda, "the launches of fp8_fused, captured once and replayed as a CUDA graph",
                kernels::GraphOf<backends::Fp8Mlp<backends::Products::fp8_chained>>)
