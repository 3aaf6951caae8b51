// QueryThread: a variant with a thread a query, whose kernel is compiled for rows of up to 64 elements and of
// up to 128.
#pragma once

#include "kernels/attention/own_kernel.cuh"

namespace attention {

// `Rung` tells its `threads` a block, what to call a `launch` that fails, and `kernel<Element, most>()`, the
// kernel for rows of up to `most` elements.
template <class Rung>
class QueryThread final : public OwnKernel {
 public:
  QueryThread(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits&)
      : OwnKernel(params) {
    require_dimension_up_to(128);
  }

  void run(harness::sdk::Stream stream) override {
    const dim3 grid(blocks_of(shape_.sequence, Rung::threads), matrices());
    kernel()<<<grid, Rung::threads, 0, queue_of(stream)>>>(problem_);
    kernels::check(cudaGetLastError(), Rung::launch);
  }

 private:
  [[nodiscard]] auto kernel() const -> void (*)(Arguments) {
    if (shape_.dimension <= 64) return of_type<64>();
    return of_type<128>();
  }

  template <int most>
  [[nodiscard]] auto of_type() const -> void (*)(Arguments) {
    return is_f16() ? Rung::template kernel<ptx::F16, most>() : Rung::template kernel<ptx::BF16, most>();
  }
};

}  // namespace attention
