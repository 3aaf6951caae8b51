// rms_norm_linear/threads_separate: the normalised X goes to memory, then it is multiplied.
#include "kernels/operators/rms_norm_linear/cpu_norm_linear.h"

namespace operators::rms_norm_linear {
namespace {

class ThreadsSeparate final : public CpuNormLinear {
 public:
  using CpuNormLinear::CpuNormLinear;

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(shape().m * shape().k) * harness::sdk::size_of(shape().dtype);
  }

  void run(harness::sdk::Stream stream) override {
    run_norm<every_stage>(stream);
    multiply(norm().y, [](std::int64_t, float*, std::int64_t) {});
  }

 private:
  void bind_workspace(void* workspace) override { norm().y = workspace; }
};

}  // namespace
}  // namespace operators::rms_norm_linear

HARNESS_VARIANT(rms_norm_linear, threads_separate, cpu, "blocked threads; the norm's result goes to memory",
                operators::rms_norm_linear::ThreadsSeparate)
