// BlockMap: which blocks of queries and keys a mask leaves empty, partly or wholly seen. It is exact: bounds
// decide most blocks, and rows of single keys decide the rest. Computed once a case, before timing; plain
// host code.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/masks/expression_rows.h"
#include "kernels/masks/masks.h"

namespace masks {

enum class Seen : std::uint8_t { none, partly, wholly };

class BlockMap {
 public:
  BlockMap(const Rules& rules, std::int64_t block_queries, std::int64_t block_keys)
      : query_blocks((rules.domain().sequence + block_queries - 1) / block_queries),
        key_blocks((rules.domain().sequence + block_keys - 1) / block_keys),
        heads(rules.mask().uses(Op::head) ? rules.domain().heads : 1) {
    Bounds bounds(rules.mask(), rules.domain());
    ExpressionRows<float> rows(rules.mask(), rules.domain());
    blocks_.reserve(static_cast<std::size_t>(heads * query_blocks * key_blocks));
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t q = 0; q < rules.domain().sequence; q += block_queries)
        for (std::int64_t k = 0; k < rules.domain().sequence; k += block_keys) {
          const Rectangle block{q, std::min(block_queries, rules.domain().sequence - q), k,
                                std::min(block_keys, rules.domain().sequence - k)};
          const Seen seen = classify(bounds, rows, block, head);
          blocks_.push_back(seen);
          if (seen != Seen::none)
            pairs_in_seen_blocks_ += static_cast<double>(block.queries) * static_cast<double>(block.keys);
        }
  }

  // The head counts only where the mask does: heads is 1 otherwise.
  [[nodiscard]] Seen at(std::int64_t head, std::int64_t query_block, std::int64_t key_block) const {
    const std::int64_t row = head % heads * query_blocks + query_block;
    return blocks_[static_cast<std::size_t>(row * key_blocks + key_block)];
  }

  // The share of all pairs of a query and a key that lie in blocks that are not empty: what a kernel
  // computes.
  [[nodiscard]] double share(std::int64_t sequence) const {
    return pairs_in_seen_blocks_ /
           (static_cast<double>(heads) * static_cast<double>(sequence) * static_cast<double>(sequence));
  }

  const std::int64_t query_blocks;
  const std::int64_t key_blocks;
  const std::int64_t heads;

 private:
  static Seen classify(Bounds& bounds, ExpressionRows<float>& rows, const Rectangle& block,
                       std::int64_t head) {
    const Interval whole = bounds.over(block, head);
    if (whole.never()) return Seen::none;
    if (whole.always()) return Seen::wholly;
    bool some = false;
    bool all = true;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(block.keys));
    for (std::int64_t row = 0; row < block.queries && (all || !some); ++row) {
      rows.seen(head, block.query + row, block.key, block.keys, seen.data());
      for (const std::uint8_t one : seen) {
        some = some || one != 0;
        all = all && one != 0;
      }
    }
    return all ? Seen::wholly : some ? Seen::partly : Seen::none;
  }

  std::vector<Seen> blocks_;
  double pairs_in_seen_blocks_ = 0;
};

}  // namespace masks
