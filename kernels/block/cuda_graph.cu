// block/graph: the fused block's launches, captured in a CUDA graph when the buffers are bound.
#include "kernels/block/fused_variant.h"
#include "kernels/graph_kernel.cuh"

HARNESS_VARIANT(block, graph, cuda, "the fused kernels, captured once and replayed as a CUDA graph",
                kernels::GraphOf<transformer_block::FusedBlock>)
