#include "kernels/backends/cuda_library.h"

HARNESS_VARIANT(transformer, library, cuda, "a call of a library or a kernel an operation",
                backends::LibraryVariant<backends::Network::transformer>)
