// masks/threads_blocks: blocks of queries on all threads with a running softmax
// (kernels/attention/cpu_online.h). Blocks of which no key is seen are left out; the mask is evaluated where
// a block is seen in part.
#include <limits>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/cpu_online.h"
#include "kernels/masks/block_map.h"

namespace masks {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class MaskOfBlocks {
 public:
  MaskOfBlocks(const Rules& rules, const BlockMap& map)
      : rules_(&rules),
        map_(&map),
        mask_(rules.mask(), rules.domain()),
        score_(rules.score(), rules.domain()) {}

  [[nodiscard]] bool any(std::int64_t matrix, std::int64_t query, std::int64_t, std::int64_t key) const {
    return at(matrix, query, key) != Seen::none;
  }

  [[nodiscard]] std::int64_t adjust(std::int64_t matrix, std::int64_t query, std::int64_t key,
                                    std::int64_t keys, float* scores) {
    const std::int64_t head = matrix % rules_->domain().heads;
    if (!rules_->score().is_score()) score_.change(head, query, key, keys, scores);
    if (at(matrix, query, key) == Seen::wholly) return keys;
    std::uint8_t seen[attention::key_block];
    mask_.seen(head, query, key, keys, seen);
    for (std::int64_t i = 0; i < keys; ++i)
      if (seen[i] == 0) scores[i] = -std::numeric_limits<float>::infinity();
    return keys;
  }

 private:
  [[nodiscard]] Seen at(std::int64_t matrix, std::int64_t query, std::int64_t key) const {
    return map_->at(matrix % rules_->domain().heads, query / attention::query_block,
                    key / attention::key_block);
  }

  const Rules* rules_;
  const BlockMap* map_;
  ExpressionRows<float> mask_;
  ExpressionRows<float> score_;
};

class ThreadsBlocks final : public harness::sdk::Kernel {
 public:
  ThreadsBlocks(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(shape_of(params)),
        rules_(shape_),
        map_(rules_, attention::query_block, attention::key_block),
        online_({shape_.dtype, shape_.matrices(), shape_.sequence, shape_.dimension},
                kernels::usable_threads(traits.multiprocessors), MaskOfBlocks(rules_, map_)) {}
  void bind(const Buffers& buffers) override { online_.bind(buffers); }
  void run(Stream) override { online_.run(); }

 private:
  Shape shape_;
  Rules rules_;
  BlockMap map_;
  attention::OnlineThreads<MaskOfBlocks> online_;
};

}  // namespace
}  // namespace masks

HARNESS_VARIANT(masks, threads_blocks, cpu, "blocked threads; blocks without a seen key are left out",
                masks::ThreadsBlocks)
