// BlockMap: which blocks of queries and keys a mask leaves empty, partly or wholly seen. It is exact: bounds
// decide most blocks, and rows of single keys decide the rest. Computed once a case, before timing; plain
// host code.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/sdk/in_parts.h"
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
    constexpr std::int64_t pairs_a_thread = std::int64_t{1} << 20;
    const std::int64_t sequence = rules.domain().sequence;
    const auto block_at = [&](std::int64_t row, std::int64_t key_block) -> Rectangle {
      const std::int64_t q = row % query_blocks * block_queries, k = key_block * block_keys;
      return {q, std::min(block_queries, sequence - q), k, std::min(block_keys, sequence - k)};
    };
    blocks_.resize(static_cast<std::size_t>(heads * query_blocks * key_blocks));
    const auto some_rows = [&](std::int64_t first, std::int64_t last) {
      Bounds bounds(rules.mask(), rules.domain());
      ExpressionRows<float> rows(rules.mask(), rules.domain());
      for (std::int64_t row = first; row < last; ++row)
        for (std::int64_t k = 0; k < key_blocks; ++k)
          blocks_[static_cast<std::size_t>(row * key_blocks + k)] =
              classify(bounds, rows, block_at(row, k), row / query_blocks);
    };
    harness::sdk::in_parts(heads * query_blocks, pairs_a_thread / (block_queries * sequence) + 1, some_rows);
    for (std::int64_t row = 0; row < heads * query_blocks; ++row)
      for (std::int64_t k = 0; k < key_blocks; ++k) {
        const Rectangle block = block_at(row, k);
        if (at(row / query_blocks, row % query_blocks, k) != Seen::none)
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
