#include "kernels/backends/cuda_network.h"
#include "kernels/graph_kernel.cuh"

HARNESS_VARIANT(mlp, graph, cuda, "the fused kernels, captured once and replayed as a CUDA graph",
                kernels::GraphOf<backends::FusedVariant<backends::Network::mlp>>)
