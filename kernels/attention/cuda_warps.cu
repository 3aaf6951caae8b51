// attention/warps: a warp shares its queries' keys, then their columns.
#include "kernels/attention/own_kernel.cuh"
#include "kernels/attention/warps_kernel.cuh"

namespace attention {
namespace {

using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class Warps final : public OwnKernel {
 public:
  Warps(const Params& params, const Problem&, const DeviceTraits& traits) : OwnKernel(params) {
    require_dimension_up_to(128);
    kernels::allow_shared_memory(kernel(), shared_bytes(), traits);
  }

  void run(Stream stream) override {
    const dim3 grid(blocks_of(shape_.sequence, warps_block_queries), matrices());
    kernel()<<<grid, 32 * warps_of_block, shared_bytes(), queue_of(stream)>>>(problem_);
    kernels::check(cudaGetLastError(), "launch of warps_kernel");
  }

 private:
  // The instantiation for this case: rows of up to 64 elements, or up to 128.
  [[nodiscard]] auto kernel() const -> void (*)(Arguments) {
    if (shape_.dimension <= 64) return is_f16() ? warps_kernel<ptx::F16, 64> : warps_kernel<ptx::BF16, 64>;
    return is_f16() ? warps_kernel<ptx::F16, 128> : warps_kernel<ptx::BF16, 128>;
  }
  [[nodiscard]] std::size_t shared_bytes() const {
    return shape_.dimension <= 64 ? sizeof(WarpsMemory<64>) : sizeof(WarpsMemory<128>);
  }
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, warps, cuda, "a warp for four queries; softmax by shuffles", attention::Warps)
