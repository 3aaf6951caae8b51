// block/fused: our own kernels. Norms, biases, GELU and sums are parts of them.
#include "kernels/block/fused_variant.h"

HARNESS_VARIANT(block, fused, cuda, "own kernels: five that begin early for few tokens, else seven on wgmma",
                transformer_block::FusedBlock)
