// attention/threads_online: blocks of queries on all threads. The softmax is kept up to date while blocks of
// keys pass by (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018), so the scores
// stay in the cache. Products and exponentials run on vectors (kernels/cpu/isa.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/attention.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu_pool.h"

namespace attention {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::DType;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

// Queries of a task, a multiple of every Isa::rows, and keys of a step, one of every Isa::columns: with
// d = 128, what a thread holds is 270 KiB, for the L2 cache.
constexpr std::int64_t query_block = 96;
constexpr std::int64_t key_block = 128;

class ThreadsOnline final : public harness::sdk::Kernel {
 public:
  ThreadsOnline(const Params& params, const Problem&, const DeviceTraits& traits)
      : shape_(shape_of(params)),
        isa_(kernels::best_isa()),
        columns_((shape_.dimension + isa_.columns - 1) / isa_.columns * isa_.columns),
        pool_(kernels::usable_threads(traits.multiprocessors)),
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

  void bind(const Buffers& buffers) override {
    q_ = buffers.as<std::uint16_t>(q_index);
    k_ = buffers.as<std::uint16_t>(k_index);
    v_ = buffers.as<std::uint16_t>(v_index);
    o_ = buffers.as<std::uint16_t>(o_index);
  }

  void run(Stream) override {
    const std::int64_t blocks = (shape_.sequence + query_block - 1) / query_block;
    pool_.for_each(shape_.matrices() * blocks, [&](std::int64_t task, int worker) {
      // The last queries first: where causal they see most keys.
      const std::int64_t block = blocks - 1 - task / shape_.matrices();
      attend(task % shape_.matrices() * shape_.sequence, block * query_block,
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

  void widen(const std::uint16_t* from, float* to) const {
    (shape_.dtype == DType::f16 ? isa_.widen_f16 : isa_.widen_bf16)(from, to, shape_.dimension);
  }

  // Queries from `begin` on, a block of them, of the matrix whose first row is `first`.
  void attend(std::int64_t first, std::int64_t begin, Scratch& scratch) const {
    const std::int64_t rows = std::min(query_block, shape_.sequence - begin);
    load_queries(first + begin, rows, scratch);
    std::fill(scratch.sums.begin(), scratch.sums.end(), 0.0F);
    std::fill_n(scratch.tops, query_block, -std::numeric_limits<float>::infinity());
    std::fill_n(scratch.totals, query_block, 0.0F);
    const std::int64_t seen = shape_.causal ? begin + rows : shape_.sequence;
    for (std::int64_t key = 0; key < seen; key += key_block) {
      load_keys(first + key, std::min(key_block, shape_.sequence - key), scratch);
      std::fill(scratch.scores.begin(), scratch.scores.end(), 0.0F);
      multiply(scratch.queries.data(), shape_.dimension, scratch.keys.data(), scratch.scores.data(),
               key_block);
      for (std::int64_t row = 0; row < rows; ++row) weigh(begin + row, row, key, scratch);
      multiply(scratch.scores.data(), key_block, scratch.values.data(), scratch.sums.data(), columns_);
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      float* const sums = scratch.sums.data() + row * columns_;
      isa_.scale(sums, columns_, 1.0F / scratch.totals[row]);
      (shape_.dtype == DType::f16 ? isa_.narrow_f16 : isa_.narrow_bf16)(
          sums, o_ + (first + begin + row) * shape_.dimension, shape_.dimension);
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
  void weigh(std::int64_t query, std::int64_t row, std::int64_t key, Scratch& scratch) const {
    float* const scores = scratch.scores.data() + row * key_block;
    const std::int64_t end = shape_.causal ? query + 1 : shape_.sequence;
    const std::int64_t seen = std::clamp<std::int64_t>(end - key, 0, key_block);
    if (seen == 0) {
      std::fill_n(scores, key_block, 0.0F);
      return;
    }
    const float top = isa_.largest(scores, seen, scratch.tops[row]);
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
        widen(q_ + (row + r) * shape_.dimension, to);
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
      if (j < rows) widen(v_ + (row + j) * d, scratch.line.data());
      if (j == rows) std::fill(scratch.line.begin(), scratch.line.end(), 0.0F);
      for (std::int64_t column = 0; column < columns_; column += panel)
        std::copy_n(scratch.line.data() + column, panel,
                    scratch.values.data() + column * key_block + j * panel);
    }
    for (std::int64_t j = 0; j < key_block; ++j) {
      if (j < rows) widen(k_ + (row + j) * d, scratch.line.data());
      if (j == rows) std::fill(scratch.line.begin(), scratch.line.end(), 0.0F);
      float* const to = scratch.keys.data() + j / panel * panel * d + j % panel;
      for (std::int64_t c = 0; c < d; ++c) to[c * panel] = scratch.line[static_cast<std::size_t>(c)];
    }
  }

  Shape shape_;
  const kernels::Isa& isa_;
  std::int64_t columns_;  // d, rounded up to what Isa::multiply takes
  kernels::Pool pool_;
  std::vector<Scratch> scratch_;
  const std::uint16_t* q_ = nullptr;
  const std::uint16_t* k_ = nullptr;
  const std::uint16_t* v_ = nullptr;
  std::uint16_t* o_ = nullptr;
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, threads_online, cpu, "blocked threads; online softmax over blocks of keys",
                attention::ThreadsOnline)
