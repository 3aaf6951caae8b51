#include "kernels/backends/cuda_network.h"

HARNESS_VARIANT(transformer, fused, cuda, "own kernels, a launch a product with what follows it",
                backends::FusedVariant<backends::Network::transformer>)
