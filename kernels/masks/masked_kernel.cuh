// The kernel of the variants specialised and dense_mask: that of kernels/attention/wgmma_kernel.cuh with a
// mask that is compiled in. A block passes through the tiles of keys that a list names. The list leaves out
// tiles of which no key is seen, and marks those that are seen in part. Kernel code: compiled by NVRTC, and
// by a plain C++ compiler for the emulator.
#pragma once

#include "kernels/attention/wgmma_kernel.cuh"

namespace masks {

// The tiles of one block of queries, in Arguments::tiles.
struct Row {
  int queries;  // number of the block of queries
  int begin;
  int count;
  int first;  // the entry at `begin`, so that nothing waits for it
};
// An entry: the number of the tile of keys, twice, and 1 where some of its keys are not seen.
KERNEL_OR_HOST constexpr int entry_of(int tile, bool partly) {
  return tile * 2 + (partly ? 1 : 0);
}

struct Arguments {
  std::uint16_t* o = nullptr;
  const Row* rows =
      nullptr;  // blocks of queries, those with most tiles first; again for each head of the map
  const int* tiles = nullptr;
  const int* documents = nullptr;  // of each token
  const std::uint32_t* dense =
      nullptr;  // a bit a pair of query and key, rows of whole tiles; of each head of the map
  int sequence = 0;
  int dimension = 0;
  int heads = 1;
  int map_heads = 1;    // heads with a mask of their own: all, or 1
  int dense_words = 0;  // a row of `dense`
  float scale = 0;      // of products of a query and a key
  float scale2 = 0;     // of scores: weights are powers of two
  int unused = 0;       // no padding
};
static_assert(sizeof(Arguments) == 5 * sizeof(void*) + 6 * sizeof(int) + 2 * sizeof(float));

// Where matrix `matrix` begins in Q, K, V and O, in elements.
KERNEL_DEVICE std::int64_t matrix_start(const Arguments& problem, int matrix) {
  return static_cast<std::int64_t>(matrix) * problem.sequence * problem.dimension;
}

KERNEL_DEVICE float exp_approximate(float x) {
  return ptx::exp2_approximate(x * 1.44269504F);
}

// The tiles that a block passes through, and what the mask makes of their scores. Rule::seen(q, k, head,
// heads, sequence, documents) and Rule::score(score, ...) are what the suite's expressions say.
template <class TilingOfBlock, class Rule>
struct MaskedTiles {
  using Tiling = TilingOfBlock;
  using Problem = Arguments;
  static constexpr bool may_be_empty = true;
  int matrix;
  int query;
  int count;
  int head;
  int begin;
  int first_entry;

  KERNEL_DEVICE explicit MaskedTiles(const Arguments& problem)
      : matrix(static_cast<int>(blockIdx.y)), head(matrix % problem.heads) {
    const int map_head = head % problem.map_heads;
    const Row row = problem.rows[map_head * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x)];
    query = row.queries * Tiling::queries;
    count = row.count;
    begin = row.begin;
    first_entry = row.first;
  }
  KERNEL_DEVICE int entry(const Arguments& problem, int step) const {
    return step == 0 ? first_entry : problem.tiles[begin + step];
  }
  static KERNEL_DEVICE int first_key(int entry) { return entry / 2 * Tiling::keys; }

  KERNEL_DEVICE void mask(const Arguments& problem, int entry, int, int thread_query,
                          float (&scores)[Tiling::keys / 2]) const {
    if constexpr (Rule::changes_scores) change(problem, first_key(entry), thread_query, scores);
    if (entry % 2 == 0) return;
    if constexpr (Rule::is_dense)
      hide_by_bits(problem, first_key(entry), thread_query, scores);
    else
      hide(problem, first_key(entry), thread_query, scores);
  }

 private:
  // Calls function(score, half, place): the query is `half` * 8 below the thread's first, the key `place`
  // behind it.
  template <class Function>
  static KERNEL_DEVICE void for_each(float (&scores)[Tiling::keys / 2], const Function& function) {
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) KERNEL_UNROLL
    for (int i = half * 2; i < Tiling::keys / 2; i += 4) KERNEL_UNROLL
    for (int pair = 0; pair < 2; ++pair) function(scores[i + pair], half, i / 4 * 8 + pair);
  }
  // A query past the last one is computed and not stored: it asks what the last one asks.
  static KERNEL_DEVICE int existing(const Arguments& problem, int query) {
    return attention::smaller(query, problem.sequence - 1);
  }
  static KERNEL_DEVICE int lane_key(int first) { return first + static_cast<int>(threadIdx.x) % 4 * 2; }

  KERNEL_DEVICE void change(const Arguments& problem, int first, int thread_query,
                            float (&scores)[Tiling::keys / 2]) const {
    const int lane = lane_key(first);
    const int queries[2] = {existing(problem, thread_query), existing(problem, thread_query + 8)};
    for_each(scores, [&](float& score, int half, int place) {
      // A key past the last one asks what the last one asks; it is hidden afterwards.
      const int key = Rule::score_reads_documents ? existing(problem, lane + place) : lane + place;
      score = Rule::score(score * problem.scale, queries[half], key, head, problem.heads, problem.sequence,
                          problem.documents);
    });
  }

  KERNEL_DEVICE void hide(const Arguments& problem, int first, int thread_query,
                          float (&scores)[Tiling::keys / 2]) const {
    const int lane = lane_key(first);
    const int queries[2] = {existing(problem, thread_query), existing(problem, thread_query + 8)};
    for_each(scores, [&](float& score, int half, int place) {
      const int key = lane + place;
      if (key >= problem.sequence ||
          !Rule::seen(queries[half], key, head, problem.heads, problem.sequence, problem.documents))
        score = attention::minus_infinity();
    });
  }

  KERNEL_DEVICE void hide_by_bits(const Arguments& problem, int first, int thread_query,
                                  float (&scores)[Tiling::keys / 2]) const {
    const int shift = static_cast<int>(threadIdx.x) % 4 * 2;
    std::uint32_t words[2][Tiling::keys / 32];
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = static_cast<std::int64_t>(head % problem.map_heads) * problem.sequence +
                               existing(problem, thread_query + half * 8);
      const std::uint32_t* const from = problem.dense + row * problem.dense_words + first / 32;
      KERNEL_UNROLL
      for (int word = 0; word < Tiling::keys / 32; ++word) words[half][word] = from[word];
    }
    for_each(scores, [&](float& score, int half, int place) {
      const std::uint32_t word = words[half][place / 32];
      if ((word >> (place % 32 + shift) & 1U) == 0) score = attention::minus_infinity();
    });
  }
};

}  // namespace masks
