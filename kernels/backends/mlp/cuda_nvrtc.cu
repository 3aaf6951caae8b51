#include "kernels/backends/cuda_network.h"

namespace {

using RunTimeVariant = backends::FusedVariant<backends::Network::mlp, backends::CompiledAt::run_time>;

}  // namespace

HARNESS_VARIANT(mlp, nvrtc, cuda, "the fused kernels, compiled in the set-up with the sizes as constants",
                RunTimeVariant)
