#include "kernels/block/cpu_block.h"

HARNESS_VARIANT(block, threads_fused, cpu, "threads; what follows a product is done on its tiles in cache",
                transformer_block::CpuBlock<transformer_block::CpuSteps::fused>)
