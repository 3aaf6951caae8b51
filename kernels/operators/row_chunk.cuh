// RowChunk: sixteen bytes of a row's elements, which move as one access, and where a row's chunks lie.
#pragma once

#include <cstdint>

#include "kernels/ptx/small.cuh"

namespace operators {

struct alignas(16) RowChunk {
  std::uint32_t words[4];
};

template <class Type>
inline constexpr int chunk_width = 16 / static_cast<int>(sizeof(typename Type::Storage));

template <class Type>
KERNEL_DEVICE float element_of(const RowChunk& chunk, int i) {
  if constexpr (chunk_width<Type> == 4) {
    return __uint_as_float(chunk.words[i]);
  } else {
    return Type::widen(static_cast<std::uint16_t>(chunk.words[i / 2] >> (16 * (i % 2))));
  }
}

// A bit for each of the chunk's elements that the row has: the chunk begins at `column`, which may be before
// the row.
template <class Type>
KERNEL_DEVICE std::uint32_t elements_inside(int column, int columns) {
  std::uint32_t inside = 0;
  KERNEL_UNROLL
  for (int i = 0; i < chunk_width<Type>; ++i)
    if (column + i >= 0 && column + i < columns) inside |= 1U << i;
  return inside;
}
template <class Type>
inline constexpr std::uint32_t all_inside = (1U << chunk_width<Type>)-1;

KERNEL_DEVICE RowChunk chunk_at(const void* aligned) {
  const uint4 loaded = __ldg(static_cast<const uint4*>(aligned));
  return {{loaded.x, loaded.y, loaded.z, loaded.w}};
}

// The elements from `from` on that are `inside`, one by one; 0 for the others.
template <class Type>
KERNEL_DEVICE RowChunk gather_chunk(const typename Type::Storage* from, std::uint32_t inside) {
  RowChunk chunk = {};
  KERNEL_UNROLL
  for (int i = 0; i < chunk_width<Type>; ++i) {
    if ((inside >> i & 1U) == 0) continue;
    if constexpr (chunk_width<Type> == 4)
      chunk.words[i] = __float_as_uint(from[i]);
    else
      chunk.words[i / 2] |= static_cast<std::uint32_t>(from[i]) << (16 * (i % 2));
  }
  return chunk;
}

// Sixteen bytes that begin `skipped` bytes after those of `low`, which `high` follows.
struct SplitChunk {
  RowChunk low = {};
  RowChunk high = {};
  unsigned skipped = 0;
};

// The chunk of `row` from `column` on, at any address: a load, or the loads of two aligned chunks, of which
// the second is in the L1 cache, because the next thread's first load is the same. Nothing from `end` on is
// read.
template <class Type>
KERNEL_DEVICE SplitChunk load_split(const typename Type::Storage* row, int column, std::uint32_t inside,
                                    const typename Type::Storage* end) {
  const typename Type::Storage* const from = row + column;
  SplitChunk chunk;
  if (inside == all_inside<Type> && end - from >= 2 * chunk_width<Type>) {
    chunk.skipped = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
    const char* const aligned = reinterpret_cast<const char*>(from) - chunk.skipped;
    chunk.low = chunk_at(aligned);
    if (chunk.skipped != 0) chunk.high = chunk_at(aligned + 16);
  } else {
    chunk.low = gather_chunk<Type>(from, inside);
  }
  return chunk;
}

KERNEL_DEVICE RowChunk joined(const SplitChunk& split) {
  if (split.skipped == 0) return split.low;
  std::uint32_t words[8];
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i) {
    words[i] = split.low.words[i];
    words[i + 4] = split.high.words[i];
  }
  KERNEL_UNROLL
  for (int i = 0; i < 6; ++i) words[i] = (split.skipped & 8U) != 0 ? words[i + 2] : words[i];
  KERNEL_UNROLL
  for (int i = 0; i < 5; ++i) words[i] = (split.skipped & 4U) != 0 ? words[i + 1] : words[i];
  RowChunk chunk;
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i)
    chunk.words[i] = ptx::select_bytes(words[i], words[i + 1], (split.skipped & 2U) != 0 ? 0x5432U : 0x3210U);
  return chunk;
}

// To an address that is a multiple of 16.
template <class Type>
KERNEL_DEVICE void store_chunk(typename Type::Storage* to, const float* values, std::uint32_t inside) {
  RowChunk chunk;
  KERNEL_UNROLL
  for (int word = 0; word < 4; ++word) {
    if constexpr (chunk_width<Type> == 4)
      chunk.words[word] = __float_as_uint(values[word]);
    else
      chunk.words[word] = Type::narrow(values[2 * word], values[2 * word + 1]);
  }
  if (inside == all_inside<Type>)
    return ptx::store_once(to, {chunk.words[0], chunk.words[1], chunk.words[2], chunk.words[3]});
  KERNEL_UNROLL
  for (int i = 0; i < chunk_width<Type>; ++i) {
    if ((inside >> i & 1U) == 0) continue;
    if constexpr (chunk_width<Type> == 4)
      to[i] = values[i];
    else
      to[i] = static_cast<std::uint16_t>(chunk.words[i / 2] >> (16 * (i % 2)));
  }
}

}  // namespace operators
