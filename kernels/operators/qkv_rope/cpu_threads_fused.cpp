// qkv_rope/threads_fused: pairs turn in a tile while it is in the cache.
#include "kernels/operators/qkv_rope/cpu_turned_product.h"

namespace operators::qkv_rope {
namespace {

class ThreadsFusedRope final : public CpuTurnedProduct {
 public:
  using CpuTurnedProduct::CpuTurnedProduct;
  void run(harness::sdk::Stream) override {
    multiply([this](std::int64_t row, std::int64_t column, float* values, std::int64_t count) {
      turn(row, column, values, count);
    });
  }
};

}  // namespace
}  // namespace operators::qkv_rope

HARNESS_VARIANT(qkv_rope, threads_fused, cpu, "blocked threads; pairs turn in each tile while in cache",
                operators::qkv_rope::ThreadsFusedRope)
