// attention/online: a thread a query, nothing kept but the running softmax.
#include "kernels/attention/online_kernel.cuh"
#include "kernels/attention/own_kernel.cuh"

namespace attention {
namespace {

using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class Online final : public OwnKernel {
 public:
  Online(const Params& params, const Problem&, const DeviceTraits&) : OwnKernel(params) {
    require_dimension_up_to(128);
  }

  void run(Stream stream) override {
    const dim3 grid(blocks_of(shape_.sequence, online_threads), matrices());
    kernel()<<<grid, online_threads, 0, queue_of(stream)>>>(problem_);
    kernels::check(cudaGetLastError(), "launch of online_kernel");
  }

 private:
  // The instantiation for this case: rows of up to 64 elements, or up to 128.
  [[nodiscard]] auto kernel() const -> void (*)(Arguments) {
    if (shape_.dimension <= 64) return is_f16() ? online_kernel<ptx::F16, 64> : online_kernel<ptx::BF16, 64>;
    return is_f16() ? online_kernel<ptx::F16, 128> : online_kernel<ptx::BF16, 128>;
  }
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, online, cuda, "online softmax, one thread a query", attention::Online)
