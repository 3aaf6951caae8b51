#include <cub/device/device_select.cuh>

#include "common.cuh"

namespace {
struct IsOdd {
  __device__ bool operator()(std::uint32_t value) const { return value % 2 == 1; }
};

struct Select {
  static cudaError_t call(void* temporary, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out,
                          int n, cudaStream_t stream) {
    return cub::DeviceSelect::If(temporary, bytes, in, out, out + n, n, IsOdd(), stream);
  }
};
}  // namespace

void register_variant_cub_select(harness::sdk::Registry& registry) {
  registry.add("cub", "select", [](int n) -> harness::sdk::Kernel* { return new CubKernel<Select>(n); });
}
