#include "kernels/backends/cuda_library.h"

namespace {

using Im2colVariant = backends::LibraryVariant<backends::Network::conv, backends::Convolutions::im2col>;

}  // namespace

HARNESS_VARIANT(conv, im2col, cuda, "neighbourhoods in memory, and a product of cuBLAS", Im2colVariant)
