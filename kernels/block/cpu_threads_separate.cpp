#include "kernels/block/cpu_block.h"

HARNESS_VARIANT(block, threads_separate, cpu, "threads; biases, GELU and sums are passes of their own",
                transformer_block::CpuBlock<transformer_block::CpuSteps::separate>)
