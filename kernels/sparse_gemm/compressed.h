// W without its zeros, in the order in which wgmma.sp wants it. A block stands for 128 rows x 64 of k:
//
//   8,192 bytes   values: 64 lines of 128 bytes. Line r holds two kept values of each four neighbours of row
//   r,
//                 then those of row r + 64.
//   1,024 bytes   places: 256 words of 32 bits, one for each thread of two warpgroups, 64 rows each. Two bits
//                 say where among its four neighbours a kept value stands, the first value in the lower bits.
//
// So one copy brings both, and a thread reads one word for 64 of k. Blocks follow each other along k, then
// along n. Places of the words: PTX ISA, "Sparse matrix storage" of wgmma.mma_async.sp. Past the last row and
// the end of k, values are zero and places are those of the first two neighbours. Header-only; no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/host_device.h"

namespace sparse_gemm {

inline constexpr int block_rows = 128;
inline constexpr int block_depth = 64;  // of k
inline constexpr int value_bytes = block_rows * block_depth;
inline constexpr int block_lines = 72;  // of 128 bytes: 64 with values, 8 with places
inline constexpr int block_bytes = block_lines * 128;
inline constexpr std::uint32_t first_places = 0x44444444;  // 0 and 1 of each four neighbours

// Two kept places among four halves, given as the bits of two words: the first in bits 0 and 1, the second,
// which is larger, in bits 2 and 3. Every half that is not zero is kept if there are at most two.
KERNELS_BOTH std::uint32_t places_of(std::uint32_t low, std::uint32_t high) {
  const bool some[4] = {(low & 0x7FFFU) != 0, (low & 0x7FFF0000U) != 0, (high & 0x7FFFU) != 0,
                        (high & 0x7FFF0000U) != 0};
  const std::uint32_t first = some[0] ? 0 : some[1] ? 1 : 2;
  const std::uint32_t second = some[3] ? 3 : some[2] ? 2 : 1;
  return first < second ? first | second << 2 : first == 1 ? 0U | 1U << 2 : 2U | 3U << 2;
}

// Half `place` of the four in two words.
KERNELS_BOTH std::uint16_t half_of(std::uint32_t low, std::uint32_t high, std::uint32_t place) {
  return static_cast<std::uint16_t>((place < 2 ? low : high) >> (place % 2 * 16));
}

struct CompressedExtents {
  std::int64_t n = 1;
  std::int64_t k = 4;

  [[nodiscard]] std::int64_t blocks_down() const { return (n + block_rows - 1) / block_rows; }
  [[nodiscard]] std::int64_t blocks_across() const { return (k + block_depth - 1) / block_depth; }
  [[nodiscard]] std::int64_t bytes() const { return blocks_down() * blocks_across() * block_bytes; }

  // Where the block of an element begins, in bytes.
  [[nodiscard]] std::int64_t block_of(std::int64_t row, std::int64_t column) const {
    return (row / block_rows * blocks_across() + column / block_depth) * block_bytes;
  }
  // Where the first of the two kept values of four neighbours lies, in bytes; the second one follows.
  // `column` is the first of the four.
  [[nodiscard]] std::int64_t values_at(std::int64_t row, std::int64_t column) const {
    return block_of(row, column) + row % 64 * 128 + row % block_rows / 64 * 64 + column % block_depth;
  }
};

// The word in a block that holds the places of four neighbours, and the lowest of their four bits. The word
// of thread 4 g + q of warp w of 64 rows is for 16 of k, from 16 q on. Its lower half is for row 16 w + g,
// its upper half for the row 8 below. So the selector 0 names the threads of the first 32 of k.
struct PlaceBits {
  int word = 0;
  int shift = 0;
};
constexpr PlaceBits place_bits(std::int64_t row, std::int64_t column) {
  const int r = static_cast<int>(row % 64), c = static_cast<int>(column % block_depth);
  return {static_cast<int>(row % block_rows) / 64 * 128 + r / 16 * 32 + r % 8 * 4 + c / 16,
          r % 16 / 8 * 16 + c % 16 / 4 * 4};
}

// Reads and writes groups of four neighbours in the bytes of a compressed W. `column` is the first of a
// group.
class CompressedRows {
 public:
  CompressedRows(const CompressedExtents& extents, const std::byte* bytes)
      : extents_(extents), bytes_(bytes) {}

  [[nodiscard]] std::uint32_t places(std::int64_t row, std::int64_t column) const {
    const PlaceBits at = place_bits(row, column);
    std::uint32_t word = 0;
    std::memcpy(&word, bytes_ + extents_.block_of(row, column) + value_bytes + std::int64_t{at.word} * 4,
                sizeof word);
    return word >> at.shift & 0xFU;
  }
  // The bits of kept value 0 or 1.
  [[nodiscard]] std::uint16_t value(std::int64_t row, std::int64_t column, int which) const {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes_ + extents_.values_at(row, column) + std::int64_t{which} * 2, sizeof bits);
    return bits;
  }

 private:
  CompressedExtents extents_;
  const std::byte* bytes_;
};

// Compresses rows [first, last) of a row-major W of halves. The places of all of `to` begin as first_places.
// Rows of one block share no word with other blocks, so that threads may take whole blocks.
inline void compress_rows(const CompressedExtents& extents, const std::byte* dense, std::int64_t first,
                          std::int64_t last, std::byte* to) {
  for (std::int64_t row = first; row < last; ++row)
    for (std::int64_t column = 0; column < extents.k; column += 4) {
      std::uint32_t words[2];
      std::memcpy(words, dense + (row * extents.k + column) * 2, sizeof words);
      const std::uint32_t places = places_of(words[0], words[1]);
      const std::uint16_t values[2] = {half_of(words[0], words[1], places & 3),
                                       half_of(words[0], words[1], places >> 2)};
      std::memcpy(to + extents.values_at(row, column), values, sizeof values);
      const PlaceBits at = place_bits(row, column);
      std::byte* const word_at = to + extents.block_of(row, column) + value_bytes + std::int64_t{at.word} * 4;
      std::uint32_t word = 0;
      std::memcpy(&word, word_at, sizeof word);
      word = (word & ~(0xFU << at.shift)) | places << at.shift;
      std::memcpy(word_at, &word, sizeof word);
    }
}

// Zeros, with the places that padding has.
inline void clear_blocks(const CompressedExtents& extents, std::byte* to) {
  std::memset(to, 0, static_cast<std::size_t>(extents.bytes()));
  for (std::int64_t block = 0; block < extents.bytes(); block += block_bytes)
    for (std::int64_t word = 0; word < 256; ++word)
      std::memcpy(to + block + value_bytes + word * 4, &first_places, sizeof first_places);
}

}  // namespace sparse_gemm
