// qkv_rope/threads_separate: the product goes to memory, then a pass turns its pairs.
#include <vector>

#include "kernels/operators/qkv_rope/cpu_turned_product.h"

namespace operators::qkv_rope {
namespace {

class ThreadsSeparateRope final : public CpuTurnedProduct {
 public:
  ThreadsSeparateRope(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
                      const harness::sdk::DeviceTraits& traits)
      : CpuTurnedProduct(params, problem, traits),
        rows_(static_cast<std::size_t>(product().pool().threads()),
              std::vector<float>(static_cast<std::size_t>(shape().n))) {}

  void run(harness::sdk::Stream) override {
    multiply([](std::int64_t, std::int64_t, float*, std::int64_t) {});
    product().pool().for_each(shape().m, [this](std::int64_t row, int worker) {
      float* const values = rows_[static_cast<std::size_t>(worker)].data();
      load(row, values);
      turn(row, 0, values, shape().n);
      store(row, 0, values, shape().n);
    });
  }

 private:
  std::vector<std::vector<float>> rows_;  // by worker
};

}  // namespace
}  // namespace operators::qkv_rope

HARNESS_VARIANT(qkv_rope, threads_separate, cpu, "blocked threads; the product, then a pass that turns pairs",
                operators::qkv_rope::ThreadsSeparateRope)
