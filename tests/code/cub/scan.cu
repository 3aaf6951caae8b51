#include <cub/device/device_scan.cuh>

#include "common.cuh"

namespace {
struct Scan {
  static cudaError_t call(void* temporary, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out,
                          int n, cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, n, stream);
  }
};
}  // namespace

void register_variant_cub_scan(harness::sdk::Registry& registry) {
  registry.add("cub", "scan", [](int n) -> harness::sdk::Kernel* { return new CubKernel<Scan>(n); });
}
