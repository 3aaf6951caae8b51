// rms_norm_linear/threads_fused: the gain is applied to X on its way into a tile, a row's factor to the
// tile's sums. A pass before computes the factors.
#include "kernels/operators/rms_norm_linear/cpu_norm_linear.h"

namespace operators::rms_norm_linear {
namespace {

class ThreadsFused final : public CpuNormLinear {
 public:
  ThreadsFused(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
               const harness::sdk::DeviceTraits& traits)
      : CpuNormLinear(params, problem, traits), gains_(static_cast<std::size_t>(shape().k)) {
    product().scale_x(gains_.data());
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(shape().m) * sizeof(float);
  }

  void run(harness::sdk::Stream stream) override {
    kernels::widen(product().isa(), shape().dtype, norm().weight, 0, shape().k, gains_.data());
    run_norm<0>(stream);
    multiply(norm().x, [this](std::int64_t row, float* values, std::int64_t count) {
      product().isa().scale(values, count, norm().statistics[row]);
    });
  }

 private:
  void bind_workspace(void* workspace) override { norm().statistics = static_cast<float*>(workspace); }

  std::vector<float> gains_;  // widened, inside run(): it is part of the work
};

}  // namespace
}  // namespace operators::rms_norm_linear

HARNESS_VARIANT(rms_norm_linear, threads_fused, cpu, "blocked threads; gain on X in cache, factors on sums",
                operators::rms_norm_linear::ThreadsFused)
