// sparse_attention/threads_blocks: blocks of queries on all threads with a running softmax
// (kernels/attention/cpu_online.h); blocks of keys that no query of a task keeps are left out.
#include <limits>

#include "harness/sdk/registry.h"
#include "kernels/attention/cpu_online.h"
#include "kernels/sparse_attention/block_choice.h"

namespace sparse_attention {
namespace {

// A task's queries may lie in two blocks of the pattern. The kept blocks are those of the call.
class MaskOfKept {
 public:
  explicit MaskOfKept(const KeptBlocks* kept) : kept_(kept) {}

  [[nodiscard]] bool any(std::int64_t matrix, std::int64_t query, std::int64_t rows, std::int64_t key) const {
    return kept_->at(matrix, query, key) || kept_->at(matrix, query + rows - 1, key);
  }
  [[nodiscard]] std::int64_t adjust(std::int64_t matrix, std::int64_t query, std::int64_t key,
                                    std::int64_t keys, float* scores) const {
    if (!kept_->at(matrix, query, key)) std::fill_n(scores, keys, -std::numeric_limits<float>::infinity());
    return keys;
  }

 private:
  const KeptBlocks* kept_;
};
static_assert(attention::key_block == block && attention::query_block <= block);

class SparseThreadsBlocks final : public harness::sdk::Kernel {
 public:
  SparseThreadsBlocks(const harness::sdk::Params& params, const harness::sdk::Problem&,
                      const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        pool_(kernels::usable_threads(traits.multiprocessors)),
        online_({harness::sdk::DType::f16, shape_.matrices(), shape_.sequence, shape_.dimension},
                pool_.threads(), MaskOfKept(&kept_)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    online_.bind(buffers);
    q_ = buffers.as<void>(q_index);
    k_ = buffers.as<void>(k_index);
    chosen_ = shape_.pattern == Pattern::learned ? buffers.as<void>(chosen_index) : nullptr;
  }

  void run(harness::sdk::Stream) override {
    kept_ =
        KeptBlocks(shape_, kept_blocks(shape_, q_, k_, chosen_, [&](std::int64_t count, const auto& work) {
                     pool_.for_each(count, [&](std::int64_t i, int) { work(i); });
                   }));
    online_.run();
  }

 private:
  Shape shape_;
  kernels::Pool pool_;
  KeptBlocks kept_;
  attention::OnlineThreads<MaskOfKept> online_;
  const void* q_ = nullptr;
  const void* k_ = nullptr;
  const void* chosen_ = nullptr;
};

}  // namespace
}  // namespace sparse_attention

HARNESS_VARIANT(sparse_attention, threads_blocks, cpu,
                "blocked threads; blocks that are not kept are left out",
                sparse_attention::SparseThreadsBlocks)
