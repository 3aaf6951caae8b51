#include <cub/device/device_radix_sort.cuh>

#include "common.cuh"

namespace {
struct Sort {
  static cudaError_t call(void* temporary, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out,
                          int n, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, n, 0, 32, stream);
  }
};
}  // namespace

void register_variant_cub_sort(harness::sdk::Registry& registry) {
  registry.add("cub", "sort", [](int n) -> harness::sdk::Kernel* { return new CubKernel<Sort>(n); });
}
