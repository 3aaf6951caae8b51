// attention/tiles: keys and values pass through shared memory in tiles.
#include "kernels/attention/own_kernel.cuh"
#include "kernels/attention/tiles_kernel.cuh"

namespace attention {
namespace {

using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class Tiles final : public OwnKernel {
 public:
  Tiles(const Params& params, const Problem&, const DeviceTraits&) : OwnKernel(params) {
    require_dimension_up_to(128);
  }

  void run(Stream stream) override {
    const dim3 grid(blocks_of(shape_.sequence, tiles_threads), matrices());
    kernel()<<<grid, tiles_threads, 0, queue_of(stream)>>>(problem_);
    kernels::check(cudaGetLastError(), "launch of tiles_kernel");
  }

 private:
  // The instantiation for this case: rows of up to 64 elements, or up to 128.
  [[nodiscard]] auto kernel() const -> void (*)(Arguments) {
    if (shape_.dimension <= 64) return is_f16() ? tiles_kernel<ptx::F16, 64> : tiles_kernel<ptx::BF16, 64>;
    return is_f16() ? tiles_kernel<ptx::F16, 128> : tiles_kernel<ptx::BF16, 128>;
  }
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, tiles, cuda, "online softmax; keys and values in shared memory", attention::Tiles)
