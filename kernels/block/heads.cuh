// Where heads lie: apart for attention, and side by side again in its result. Kernel code; no state.
#pragma once

#include <type_traits>

#include "kernels/attention/device_arguments.cuh"
#include "kernels/gemm/tiles.cuh"

namespace transformer_block {

// The product (t, 3d) of queries, keys and values as (3, b, heads, sequence, head).
struct HeadSplit {
  int batches = 1;
  int sequence = 1;
  int heads = 1;
  int head = 8;

  KERNEL_DEVICE std::int64_t place(int token, int column) const {
    const int width = heads * head;
    const int matrix = (column / width * batches + token / sequence) * heads + column % width / head;
    return (static_cast<std::int64_t>(matrix) * sequence + token % sequence) * head + column % head;
  }
};
static_assert(std::has_unique_object_representations_v<HeadSplit>);

// Attention whose result is (b, sequence, heads, dimension).
struct MergedArguments : attention::Arguments {
  int heads = 1;
  int unused = 0;

  KERNEL_DEVICE std::int64_t result_row(int matrix, int query) const {
    const auto token = static_cast<std::int64_t>(matrix / heads) * sequence + query;
    return (token * heads + matrix % heads) * dimension;
  }
};
static_assert(sizeof(MergedArguments) == sizeof(attention::Arguments) + 2 * sizeof(int));

}  // namespace transformer_block
