// RowChunk: sixteen bytes of a row's elements, which move as one access, and chunks at any address.
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

KERNEL_DEVICE RowChunk chunk_at(const void* aligned) {
  const uint4 loaded = __ldg(static_cast<const uint4*>(aligned));
  return {{loaded.x, loaded.y, loaded.z, loaded.w}};
}

template <class Type>
KERNEL_DEVICE RowChunk chunk_of(const typename Type::Storage (&elements)[chunk_width<Type>]) {
  RowChunk chunk = {};
  KERNEL_UNROLL
  for (int i = 0; i < chunk_width<Type>; ++i) {
    if constexpr (chunk_width<Type> == 4)
      chunk.words[i] = __float_as_uint(elements[i]);
    else
      chunk.words[i / 2] |= static_cast<std::uint32_t>(elements[i]) << (16 * (i % 2));
  }
  return chunk;
}

// Sixteen bytes that begin `skipped` bytes after those of `low`, which `high` follows.
struct SplitChunk {
  RowChunk low = {};
  RowChunk high = {};
  unsigned skipped = 0;
};

// The chunk at any address: a load, or the loads of two aligned chunks, of which the second is in the L1
// cache, because the next thread's first load is the same. Nothing from `end` on is read.
template <class Type>
KERNEL_DEVICE SplitChunk load_split(const typename Type::Storage* from, const typename Type::Storage* end) {
  SplitChunk chunk;
  chunk.skipped = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
  const char* const aligned = reinterpret_cast<const char*>(from) - chunk.skipped;
  if (chunk.skipped == 0) {
    chunk.low = chunk_at(aligned);
  } else if (end - from >= 2 * chunk_width<Type>) {
    chunk.low = chunk_at(aligned);
    chunk.high = chunk_at(aligned + 16);
  } else {
    chunk.skipped = 0;
    typename Type::Storage elements[chunk_width<Type>];
    KERNEL_UNROLL
    for (int i = 0; i < chunk_width<Type>; ++i) elements[i] = from[i];
    chunk.low = chunk_of<Type>(elements);
  }
  return chunk;
}

template <int first>
KERNEL_DEVICE RowChunk joined_from(const SplitChunk& split, unsigned selector) {
  const auto word = [&](int i) { return i < 4 ? split.low.words[i] : split.high.words[i - 4]; };
  RowChunk chunk;
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i)
    chunk.words[i] =
        ptx::select_bytes(word(first + i), word(first + i + 1 < 8 ? first + i + 1 : 7), selector);
  return chunk;
}
// Threads of a warp mostly skip the same bytes.
KERNEL_DEVICE RowChunk joined(const SplitChunk& split) {
  const unsigned selector = (split.skipped & 2U) != 0 ? 0x5432U : 0x3210U;
  switch (split.skipped / 4) {
    case 0: return joined_from<0>(split, selector);
    case 1: return joined_from<1>(split, selector);
    case 2: return joined_from<2>(split, selector);
    default: return joined_from<3>(split, selector);
  }
}

// To an address that is a multiple of 16.
template <class Type>
KERNEL_DEVICE void store_chunk(typename Type::Storage* to, const float* values) {
  RowChunk chunk;
  KERNEL_UNROLL
  for (int word = 0; word < 4; ++word) {
    if constexpr (chunk_width<Type> == 4)
      chunk.words[word] = __float_as_uint(values[word]);
    else
      chunk.words[word] = Type::narrow(values[2 * word], values[2 * word + 1]);
  }
  // Hints for the caches, as of data that is used once, make a call 3 to 8 % slower on an H200.
  ptx::store_sixteen(to, {chunk.words[0], chunk.words[1], chunk.words[2], chunk.words[3]});
}

}  // namespace operators
