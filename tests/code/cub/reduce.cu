#include <cub/device/device_reduce.cuh>

#include "common.cuh"

namespace {
struct Reduce {
  static cudaError_t call(void* temporary, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out,
                          int n, cudaStream_t stream) {
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, n, stream);
  }
};
}  // namespace

void register_variant_cub_reduce(harness::sdk::Registry& registry) {
  registry.add("cub", "reduce", [](int n) -> harness::sdk::Kernel* { return new CubKernel<Reduce>(n); });
}
