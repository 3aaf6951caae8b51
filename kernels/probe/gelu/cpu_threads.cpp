// probe_gelu/threads: every thread takes stretches of a few thousand elements; float32.
#include <algorithm>
#include <cmath>

#include "harness/sdk/registry.h"
#include "kernels/cpu_pool.h"
#include "kernels/probe/gelu/gelu.h"
#include "kernels/slower.h"

namespace probe {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;

// x / (1 + e^-2u) is the tanh form by algebra, with one exponential instead of a tanh.
void gelu(const float* x, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float u = 0.797884561F * (x[i] + 0.044715F * x[i] * x[i] * x[i]);
    y[i] = x[i] / (1.0F + std::exp(-2.0F * u));
  }
}

class Threads final : public harness::sdk::Kernel {
 public:
  Threads(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(gelu_shape(params)),
        extra_(extra_elements(shape_.elements, kernels::slower_percent)),
        pool_(kernels::usable_threads(traits.multiprocessors)) {
    if (shape_.dtype != harness::sdk::DType::f32) throw harness::sdk::Unsupported("runs on f32 only");
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return 2 * sizeof(float) * static_cast<std::size_t>(extra_);
  }
  void bind(const Buffers& buffers) override {
    x_ = buffers.as<float>(0);
    y_ = buffers.as<float>(1);
    scratch_ = static_cast<float*>(buffers.workspace);
  }
  void run(harness::sdk::Stream) override {
    in_stretches(x_, y_, shape_.elements);
    if (extra_ > 0) in_stretches(scratch_, scratch_ + extra_, extra_);
  }

 private:
  void in_stretches(const float* x, float* y, std::int64_t count) {
    constexpr std::int64_t stretch = 4096;
    pool_.for_each((count + stretch - 1) / stretch, [=](std::int64_t index, int) {
      const std::int64_t first = index * stretch;
      gelu(x + first, y + first, std::min(stretch, count - first));
    });
  }

  GeluShape shape_;
  std::int64_t extra_;
  kernels::Pool pool_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  float* scratch_ = nullptr;
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_gelu, threads, cpu,
                HARNESS_IS_SLOWER ? "a loop on all threads, made slower on purpose" : "a loop on all threads",
                probe::Threads)
