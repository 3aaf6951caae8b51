#include "kernels/backends/cuda_network.h"

HARNESS_VARIANT(mlp, fused, cuda, "own kernels, a launch a product with what follows it",
                backends::FusedVariant<backends::Network::mlp>)
