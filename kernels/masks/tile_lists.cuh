// TileLists: a BlockMap as the kernel reads it, and the mask as bits. Made once a case, before timing. Host
// code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "kernels/masks/block_map.h"
#include "kernels/masks/masked_kernel.cuh"

namespace masks {

struct TileLists {
  std::vector<Row> rows;
  std::vector<int> tiles;
};

// Blocks of queries with most tiles come first in each head: the last ones to start are short. Among equals
// the later queries come first. A tile of keys that reaches past the last key is seen in part.
inline TileLists tile_lists(const BlockMap& map, std::int64_t sequence, std::int64_t block_keys) {
  TileLists lists;
  for (std::int64_t head = 0; head < map.heads; ++head) {
    const auto first_row = static_cast<std::ptrdiff_t>(lists.rows.size());
    for (std::int64_t q = map.query_blocks; q-- > 0;) {
      const auto begin = lists.tiles.size();
      for (std::int64_t k = map.key_blocks; k-- > 0;) {
        const Seen seen = map.at(head, q, k);
        const bool partly = seen == Seen::partly || (k + 1) * block_keys > sequence;
        if (seen != Seen::none) lists.tiles.push_back(entry_of(static_cast<int>(k), partly));
      }
      const auto count = lists.tiles.size() - begin;
      lists.rows.push_back({static_cast<int>(q), static_cast<int>(begin), static_cast<int>(count),
                            count == 0 ? 0 : lists.tiles[begin]});
    }
    std::stable_sort(lists.rows.begin() + first_row, lists.rows.end(),
                     [](const Row& a, const Row& b) { return a.count > b.count; });
  }
  if (lists.tiles.empty()) lists.tiles.push_back(0);  // so that there is an address
  return lists;
}

// The same lists for a kernel that does not know the mask: every tile, each seen in part.
inline TileLists all_tiles(const BlockMap& map) {
  TileLists lists;
  for (std::int64_t k = map.key_blocks; k-- > 0;) lists.tiles.push_back(entry_of(static_cast<int>(k), true));
  for (std::int64_t head = 0; head < map.heads; ++head)
    for (std::int64_t q = map.query_blocks; q-- > 0;)
      lists.rows.push_back({static_cast<int>(q), 0, static_cast<int>(map.key_blocks), lists.tiles.front()});
  return lists;
}

// The mask as bits: `words` 32-bit words a query, the first key in the lowest bit, of each head of the map.
inline std::vector<std::uint32_t> mask_bits(const Rules& rules, std::int64_t map_heads, std::int64_t words) {
  const std::int64_t sequence = rules.domain().sequence;
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(map_heads * sequence * words));
  constexpr std::int64_t pairs_a_thread = std::int64_t{1} << 20;
  const auto some_rows = [&](std::int64_t first, std::int64_t last) {
    ExpressionRows<float> rows(rules.mask(), rules.domain());
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(sequence));
    for (std::int64_t row = first; row < last; ++row) {
      rows.seen(row / sequence, row % sequence, 0, sequence, seen.data());
      std::uint32_t* const to = bits.data() + row * words;
      for (std::int64_t k = 0; k < sequence; ++k)
        to[k / 32] |= static_cast<std::uint32_t>(seen[static_cast<std::size_t>(k)]) << (k % 32);
    }
  };
  harness::sdk::in_parts(map_heads * sequence, pairs_a_thread / sequence + 1, some_rows);
  return bits;
}

}  // namespace masks
