// How the kernel of wgmma_kernel.cuh cuts its work: tilings and their shared memory, the tiles of keys that a
// block passes through, and the queue from which a block takes several blocks of queries.
#pragma once

#include "kernels/attention/device_arguments.cuh"
#include "kernels/ptx/hopper.cuh"

namespace attention {

// D: the dimension, 64 or 128. Consumers: warpgroups that compute, of 64 queries each. Stages: tiles of keys
// and of values on their way or in use. QueryBuffers: 2 where a block takes several blocks of queries, so
// that the next are on their way.
template <int Dimension, int Consumers, int StagesOfRing, int QueryBuffers = 1>
struct WgmmaTiling {
  static constexpr int d = Dimension;
  static constexpr int stored = d;  // columns that a matrix has in memory
  static constexpr int consumers = Consumers;
  static constexpr int stages = StagesOfRing;
  static constexpr int keys = 128;  // of a tile
  static constexpr int queries = 64 * consumers;
  static constexpr int threads = 128 * (consumers + 1);
  // A tile in shared memory is panels of 64 columns, 128 bytes wide, as the copy engine swizzles them.
  static constexpr int panels = d / 64;
  static constexpr int query_panel_bytes = queries * 128;
  static constexpr int key_panel_bytes = keys * 128;
  static constexpr int query_buffers = QueryBuffers;
  static constexpr int query_bytes = panels * query_panel_bytes;  // of one buffer
  static constexpr int key_bytes = panels * key_panel_bytes;
  // A queue stores its results by the copy engine: panels of 16 rows a warp.
  static constexpr bool is_queue = query_buffers > 1;
  static constexpr int result_rows = 16;
  static constexpr int result_panel_bytes = result_rows * 128;
  static constexpr int result_bytes = panels * result_panel_bytes;  // of a warp
  static constexpr int barriers = 2 * query_buffers + 4 * stages;
  static constexpr int tiles_offset = 1024;  // the barriers come first
  static constexpr int shared_bytes = tiles_offset + query_buffers * query_bytes + 2 * stages * key_bytes +
                                      (is_queue ? 4 * consumers * result_bytes : 0);
  // Registers of a thread. Two threads that compute and one that produces share 504. To produce for several
  // blocks of queries takes more than 24.
  static constexpr int consumer_registers = consumers == 3 ? 160 : is_queue ? 232 : 240;
  static constexpr int producer_registers = consumers == 3 ? 32 : is_queue ? 40 : 24;

  static_assert(d % 64 == 0 && consumers >= 2 && consumers <= 3 && barriers * 8 <= tiles_offset);
  static_assert(128 * (consumers * consumer_registers + producer_registers) <= 65536);
};

// Boxes of Q, of K and V, and of a queue's O, as the host describes them to the copy engine: (d, sequence,
// matrices).
inline constexpr int wgmma_panel = 64;

// Where everything is in shared memory, as 32-bit addresses; and the rounds of the barriers.
template <class Tiling>
struct WgmmaMemory {
  std::uint32_t base;

  KERNEL_DEVICE std::uint32_t barrier(int index) const { return base + index * 8; }
  // A barrier for each stage, four times.
  KERNEL_DEVICE std::uint32_t of_stage(int number, int stage) const {
    return barrier(2 * Tiling::query_buffers + number * Tiling::stages + stage);
  }
  KERNEL_DEVICE std::uint32_t keys_full(int stage) const { return of_stage(0, stage); }
  KERNEL_DEVICE std::uint32_t keys_empty(int stage) const { return of_stage(1, stage); }
  KERNEL_DEVICE std::uint32_t values_full(int stage) const { return of_stage(2, stage); }
  KERNEL_DEVICE std::uint32_t values_empty(int stage) const { return of_stage(3, stage); }
  KERNEL_DEVICE std::uint32_t queries_full(int buffer) const { return barrier(buffer); }
  KERNEL_DEVICE std::uint32_t queries_empty(int buffer) const {
    return barrier(Tiling::query_buffers + buffer);
  }
  KERNEL_DEVICE std::uint32_t queries(int buffer) const {
    return base + Tiling::tiles_offset + buffer * Tiling::query_bytes;
  }
  KERNEL_DEVICE std::uint32_t keys(int stage) const {
    return queries(Tiling::query_buffers) + stage * Tiling::key_bytes;
  }
  KERNEL_DEVICE std::uint32_t values(int stage) const { return keys(Tiling::stages + stage); }
  KERNEL_DEVICE std::uint32_t results(int warp) const {
    return values(Tiling::stages) + warp * Tiling::result_bytes;
  }
};

// The tiles of keys that a block passes through, from the last to the first: where causal the first of them
// is then the one with a diagonal. An entry is what tells one of them: here its first key. Kernels with other
// masks bring a class like this one (kernels/masks/masked_kernel.cuh).
template <class TilingOfBlock, class ProblemOfKernel = Arguments>
struct WgmmaTiles {
  using Tiling = TilingOfBlock;
  using Problem = ProblemOfKernel;
  static constexpr bool may_be_empty = false;  // each query sees a key
  int matrix;
  int query;  // the block's first
  int count;

  // The last queries first: where causal they see most keys.
  KERNEL_DEVICE explicit WgmmaTiles(const Arguments& problem) {
    take(problem, static_cast<int>(blockIdx.y),
         static_cast<int>(gridDim.x) - 1 - static_cast<int>(blockIdx.x));
  }
  KERNEL_DEVICE void take(const Arguments& problem, int of_matrix, int block_of_queries) {
    matrix = of_matrix;
    query = block_of_queries * Tiling::queries;
    const int last_query = smaller(query + Tiling::queries, problem.sequence) - 1;
    count = (keys_seen(problem, last_query) + Tiling::keys - 1) / Tiling::keys;
  }
  KERNEL_DEVICE int entry(const Arguments&, int step) const { return (count - 1 - step) * Tiling::keys; }
  static KERNEL_DEVICE int first_key(int entry) { return entry; }

  // Minus infinity for keys that are not seen. The thread has rows `thread_query` and 8 below it, of a
  // warpgroup whose first query is `group_query`.
  KERNEL_DEVICE void mask(const Arguments& problem, int first, int group_query, int thread_query,
                          float (&scores)[Tiling::keys / 2]) const {
    const bool past_end = first + Tiling::keys > problem.sequence;
    const bool past_query = problem.causal != 0 && first + Tiling::keys > group_query + 1;
    if (!past_end && !past_query) return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int seen = smaller(keys_seen(problem, thread_query + half * 8), problem.sequence) - first;
      KERNEL_UNROLL
      for (int i = half * 2; i < Tiling::keys / 2; i += 4) KERNEL_UNROLL
      for (int pair = 0; pair < 2; ++pair)
        if (i / 4 * 8 + lane % 4 * 2 + pair >= seen) scores[i + pair] = minus_infinity();
    }
  }

 protected:
  WgmmaTiles() = default;
};

// The arguments of a grid of fewer blocks than there are blocks of queries.
struct QueuedArguments : Arguments {
  int matrices = 0;
  int unused = 0;  // no padding
};
static_assert(sizeof(QueuedArguments) == sizeof(Arguments) + 2 * sizeof(int));

// The same tiles where a block takes several blocks of queries, one after another: next() goes on to the next
// one, unless is_last(). Neighbours take those of one matrix at the same time, so that they read its keys
// from the L2 cache. In each round a block takes the place of its right neighbour. Else it would always get
// the same queries of a matrix, and where causal these see more keys than others. The grid has at most as
// many blocks as there are blocks of queries.
template <class TilingOfBlock>
struct WgmmaQueue : WgmmaTiles<TilingOfBlock, QueuedArguments> {
  static_assert(TilingOfBlock::is_queue);
  using Base = WgmmaTiles<TilingOfBlock, QueuedArguments>;
  int item;
  int last;

  KERNEL_DEVICE explicit WgmmaQueue(const QueuedArguments& problem)
      : item(static_cast<int>(blockIdx.x)), last(blocks(problem) * problem.matrices - 1) {
    take_item(problem);
  }
  [[nodiscard]] KERNEL_DEVICE bool is_last() const { return after() > last; }
  KERNEL_DEVICE void next(const QueuedArguments& problem) {
    item = after();
    take_item(problem);
  }

 private:
  static KERNEL_DEVICE int blocks(const QueuedArguments& problem) {
    return (problem.sequence + TilingOfBlock::queries - 1) / TilingOfBlock::queries;
  }
  [[nodiscard]] KERNEL_DEVICE int after() const {
    const int grid = static_cast<int>(gridDim.x);
    const int round = item / grid;
    return (round + 1) * grid + (item - round * grid + 1) % grid;
  }
  KERNEL_DEVICE void take_item(const QueuedArguments& problem) {
    const int of_matrix = blocks(problem);
    Base::take(problem, item / of_matrix, of_matrix - 1 - item % of_matrix);
  }
};

// Whether queries are worth a queue. It is faster up to 2,048 keys, because a block's start and end count
// where its keys are few. With more keys it is faster only where not causal, with d = 64. Else blocks that
// the hardware hands out one by one share the work better. Measured on an H200, not with d = 32.
constexpr bool takes_queue(std::int64_t sequence, std::int64_t dimension, bool causal, std::int64_t blocks,
                           int multiprocessors) {
  return dimension >= 64 && blocks > multiprocessors && (sequence <= 2048 || (!causal && dimension == 64));
}

// The tilings in use. With a small head a third warpgroup fits too, but not without spilling registers.
using Wgmma64 = WgmmaTiling<64, 2, 3>;
// The copy engine fills rows of 32 elements up to a panel with zeros, which the second product takes along.
struct Wgmma32 : Wgmma64 {
  static constexpr int stored = 32;
};
using Wgmma128 = WgmmaTiling<128, 2, 2>;
using Queue64 = WgmmaTiling<64, 2, 3, 2>;
using Queue128 = WgmmaTiling<128, 2, 2, 2>;

// How Q (`rows` = Tiling::queries), K or V (Tiling::keys), or O (Tiling::result_rows) lies in memory, for the
// copy engine.
inline ptx::TensorLayout wgmma_layout(int dimension, int sequence, int matrices, int rows) {
  ptx::TensorLayout layout;
  layout.dimensions = 3;
  const auto row_bytes = static_cast<std::uint64_t>(dimension) * 2;
  layout.extents[0] = static_cast<std::uint64_t>(dimension);
  layout.extents[1] = static_cast<std::uint64_t>(sequence);
  layout.extents[2] = static_cast<std::uint64_t>(matrices);
  layout.strides[1] = row_bytes;
  layout.strides[2] = row_bytes * static_cast<std::uint64_t>(sequence);
  layout.box[0] = wgmma_panel;
  layout.box[1] = static_cast<std::uint32_t>(rows);
  return layout;
}

}  // namespace attention
