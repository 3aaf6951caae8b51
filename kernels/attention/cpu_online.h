// OnlineThreads: attention by blocks of queries on all threads, whatever the mask. The softmax is kept up to
// date while blocks of keys pass by (Milakov and Gimelshein, "Online normalizer calculation for softmax",
// 2018), so the scores stay in the cache. Products and exponentials run on vectors (kernels/cpu/isa.h). Q, K,
// V and O are (matrices, sequence, dimension), tensors 0 to 3.
//
// Each thread has a Mask. any(matrix, query, rows, key) tells whether one of the queries sees one of a block
// of keys. adjust(matrix, query, key, keys, scores) changes the scores of one query, minus infinity where a
// key is not seen, and returns how many of the first keys remain.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/sdk/variant.h"
#include "kernels/cpu/blocked_product.h"

namespace attention {

// Queries of a task, a multiple of every Isa::rows, and keys of a step, one of every Isa::columns: with
// d = 128, what a thread holds is 270 KiB, for the L2 cache.
inline constexpr std::int64_t query_block = 96;
inline constexpr std::int64_t key_block = 128;

struct OnlineExtents {
  harness::sdk::DType dtype = harness::sdk::DType::f16;
  std::int64_t matrices = 1;
  std::int64_t sequence = 1;
  std::int64_t dimension = 1;

  [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(dimension)); }
};

template <class Mask>
class OnlineThreads {
 public:
  OnlineThreads(const OnlineExtents& extents, int threads, const Mask& mask)
      : shape_(extents),
        isa_(kernels::best_isa()),
        columns_((shape_.dimension + isa_.columns - 1) / isa_.columns * isa_.columns),
        pool_(threads),
        masks_(static_cast<std::size_t>(pool_.threads()), mask),
        scratch_(static_cast<std::size_t>(pool_.threads())) {
    for (Scratch& scratch : scratch_) {
      scratch.line.resize(static_cast<std::size_t>(columns_));
      scratch.queries.resize(static_cast<std::size_t>(query_block * shape_.dimension));
      scratch.keys.resize(static_cast<std::size_t>(shape_.dimension * key_block));
      scratch.values.resize(static_cast<std::size_t>(key_block * columns_));
      scratch.scores.resize(static_cast<std::size_t>(query_block * key_block));
      scratch.sums.resize(static_cast<std::size_t>(query_block * columns_));
    }
  }

  void bind(const harness::sdk::Buffers& buffers) {
    q_ = buffers.as<void>(0);
    k_ = buffers.as<void>(1);
    v_ = buffers.as<void>(2);
    o_ = buffers.as<void>(3);
  }

  void run() {
    const std::int64_t blocks = (shape_.sequence + query_block - 1) / query_block;
    pool_.for_each(shape_.matrices * blocks, [&](std::int64_t task, int worker) {
      // The last queries first: where causal they see most keys.
      const std::int64_t block = blocks - 1 - task / shape_.matrices;
      attend(task % shape_.matrices, block * query_block, masks_[static_cast<std::size_t>(worker)],
             scratch_[static_cast<std::size_t>(worker)]);
    });
  }

 private:
  struct Scratch {
    std::vector<float> line;     // one row, widened
    std::vector<float> queries;  // query_block x d, scaled
    std::vector<float> keys;     // d x key_block, in panels of Isa::columns keys
    std::vector<float> values;   // key_block x columns_, in panels of Isa::columns columns
    std::vector<float> scores;   // query_block x key_block
    std::vector<float> sums;     // query_block x columns_
    float tops[query_block] = {};
    float totals[query_block] = {};
  };

  void widen(const void* tensor, std::int64_t row, float* to) const {
    kernels::widen(isa_, shape_.dtype, tensor, row * shape_.dimension, shape_.dimension, to);
  }

  // Queries from `begin` on, a block of them.
  void attend(std::int64_t matrix, std::int64_t begin, Mask& mask, Scratch& scratch) const {
    const std::int64_t first = matrix * shape_.sequence;
    const std::int64_t rows = std::min(query_block, shape_.sequence - begin);
    load_queries(first + begin, rows, scratch);
    std::fill(scratch.sums.begin(), scratch.sums.end(), 0.0F);
    std::fill_n(scratch.tops, query_block, -std::numeric_limits<float>::infinity());
    std::fill_n(scratch.totals, query_block, 0.0F);
    for (std::int64_t key = 0; key < shape_.sequence; key += key_block) {
      if (!mask.any(matrix, begin, rows, key)) continue;
      load_keys(first + key, std::min(key_block, shape_.sequence - key), scratch);
      std::fill(scratch.scores.begin(), scratch.scores.end(), 0.0F);
      multiply(scratch.queries.data(), shape_.dimension, scratch.keys.data(), scratch.scores.data(),
               key_block);
      for (std::int64_t row = 0; row < rows; ++row) weigh(matrix, begin + row, row, key, mask, scratch);
      multiply(scratch.scores.data(), key_block, scratch.values.data(), scratch.sums.data(), columns_);
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      float* const sums = scratch.sums.data() + row * columns_;
      const float total = scratch.totals[row];  // 0 where no key was seen
      isa_.scale(sums, columns_, total == 0 ? 0.0F : 1.0F / total);
      kernels::narrow(isa_, shape_.dtype, sums, shape_.dimension, o_,
                      (first + begin + row) * shape_.dimension);
    }
  }

  // c += a b for a block of queries: a has `depth` columns, c `columns`, b is packed in panels.
  void multiply(const float* a, std::int64_t depth, const float* b, float* c, std::int64_t columns) const {
    for (std::int64_t column = 0; column < columns; column += isa_.columns)
      for (std::int64_t row = 0; row < query_block; row += isa_.rows)
        isa_.multiply(a + row * depth, depth, b + column * depth, depth, c + row * columns + column, columns);
  }

  // Scores of one query against a block of keys become weights; what was summed before is brought to the
  // new maximum. Keys that the query does not see weigh nothing.
  void weigh(std::int64_t matrix, std::int64_t query, std::int64_t row, std::int64_t key, Mask& mask,
             Scratch& scratch) const {
    float* const scores = scratch.scores.data() + row * key_block;
    const std::int64_t seen =
        mask.adjust(matrix, query, key, std::min(key_block, shape_.sequence - key), scores);
    const float top = isa_.largest(scores, seen, scratch.tops[row]);
    if (seen == 0 || top == -std::numeric_limits<float>::infinity()) {
      std::fill_n(scores, key_block, 0.0F);
      return;
    }
    if (top > scratch.tops[row]) {
      const float factor = std::exp(scratch.tops[row] - top);  // 0 for the first block
      isa_.scale(scratch.sums.data() + row * columns_, columns_, factor);
      scratch.totals[row] *= factor;
      scratch.tops[row] = top;
    }
    std::fill(scores + seen, scores + key_block, -std::numeric_limits<float>::infinity());
    scratch.totals[row] += isa_.exponentials(scores, key_block, top);
  }

  void load_queries(std::int64_t row, std::int64_t rows, Scratch& scratch) const {
    for (std::int64_t r = 0; r < query_block; ++r) {
      float* const to = scratch.queries.data() + r * shape_.dimension;
      if (r < rows)
        widen(q_, row + r, to);
      else
        std::fill_n(to, shape_.dimension, 0.0F);
    }
    isa_.scale(scratch.queries.data(), query_block * shape_.dimension, static_cast<float>(shape_.scale()));
  }

  // Keys transposed, values as they are, both in panels; zeros where there are none, which the weights then
  // leave out.
  void load_keys(std::int64_t row, std::int64_t rows, Scratch& scratch) const {
    const std::int64_t d = shape_.dimension;
    const std::int64_t panel = isa_.columns;
    std::fill(scratch.line.begin(), scratch.line.end(), 0.0F);
    for (std::int64_t j = 0; j < key_block; ++j) {
      if (j < rows) widen(v_, row + j, scratch.line.data());
      if (j == rows) std::fill(scratch.line.begin(), scratch.line.end(), 0.0F);
      for (std::int64_t column = 0; column < columns_; column += panel)
        std::copy_n(scratch.line.data() + column, panel,
                    scratch.values.data() + column * key_block + j * panel);
    }
    for (std::int64_t j = 0; j < key_block; ++j) {
      if (j < rows) widen(k_, row + j, scratch.line.data());
      if (j == rows) std::fill(scratch.line.begin(), scratch.line.end(), 0.0F);
      float* const to = scratch.keys.data() + j / panel * panel * d + j % panel;
      for (std::int64_t c = 0; c < d; ++c) to[c * panel] = scratch.line[static_cast<std::size_t>(c)];
    }
  }

  OnlineExtents shape_;
  const kernels::Isa& isa_;
  std::int64_t columns_;  // d, rounded up to what Isa::multiply takes
  kernels::Pool pool_;
  std::vector<Mask> masks_;       // of each thread
  std::vector<Scratch> scratch_;  // likewise
  const void* q_ = nullptr;
  const void* k_ = nullptr;
  const void* v_ = nullptr;
  void* o_ = nullptr;
};

}  // namespace attention
