// CausalBlocks: the patterns of sparse_attention for causal attention, with blocks of any size. A block of
// queries keeps its own block of keys, and others before it. Pure host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/sparse_attention/row_choice.h"

namespace sparse_attention {

// A list of seen blocks is blocks() x blocks() bytes, queries by keys: 1 where a block is kept, else 0.
class CausalBlocks {
 public:
  // `sparsity` is the percentage of the blocks on and below the diagonal that are left out. Throws
  // harness::sdk::Unsupported with the nearest percentage where that is more than a point away.
  CausalBlocks(std::int64_t sequence, std::int64_t block, std::int64_t sparsity)
      : sequence_(sequence), block_(block), kept_(static_cast<std::size_t>((sequence + block - 1) / block)) {
    std::int64_t pairs = 0, used = 0;
    for (std::size_t row = 0; row < kept_.size(); ++row) {
      const auto seen = static_cast<std::int64_t>(row) + 1;
      pairs += seen;
      // Rounded over all rows so far, so that short rows do not add up.
      const std::int64_t wanted = (pairs * (100 - sparsity) + 50) / 100 - used;
      kept_[row] = std::clamp<std::int64_t>(wanted, 1, seen);
      used += kept_[row];
    }
    left_out_ = 100 - 100 * static_cast<double>(used) / static_cast<double>(pairs);
    if (std::fabs(left_out_ - static_cast<double>(sparsity)) > 1)
      throw harness::sdk::Unsupported("causal attention over " + std::to_string(blocks()) + " blocks of " +
                                      std::to_string(block) + " tokens leaves out " +
                                      std::to_string(std::lround(left_out_)) + " % of them where " +
                                      std::to_string(sparsity) +
                                      " % are wanted, because each block of queries keeps one: take smaller "
                                      "blocks or longer sequences");
  }

  [[nodiscard]] std::int64_t sequence() const { return sequence_; }
  [[nodiscard]] std::int64_t block() const { return block_; }
  [[nodiscard]] std::int64_t blocks() const { return std::ssize(kept_); }
  [[nodiscard]] std::int64_t list_bytes() const { return blocks() * blocks(); }
  // Blocks of keys that a block of queries keeps, at least one.
  [[nodiscard]] std::int64_t kept(std::int64_t row) const { return kept_[static_cast<std::size_t>(row)]; }
  // The percentage that is left out.
  [[nodiscard]] double left_out() const { return left_out_; }

  // The patterns `banded` and `strided`.
  void see_fixed(bool strided, std::uint8_t* seen) const {
    std::vector<std::int32_t> chosen;
    for (std::int64_t row = 0; row < blocks(); ++row) {
      chosen.clear();
      append_fixed_row(row, row + 1, kept(row), near_of(strided, kept(row)), chosen);
      mark(row, chosen, seen);
    }
  }

  // The pattern `threshold`, for queries and keys of one matrix: (sequence, d), f16. A block of queries
  // chooses by the mean of all its queries.
  void see_largest_products(const std::uint16_t* q, const std::uint16_t* k, std::int64_t d,
                            std::uint8_t* seen) const {
    std::vector<std::int8_t> queries(static_cast<std::size_t>(blocks() * d)), keys(queries.size());
    for (std::int64_t row = 0; row < blocks(); ++row) {
      const std::int64_t first = row * block_, count = std::min(block_, sequence_ - first);
      mean_codes(q + first * d, count, d, queries.data() + row * d);
      mean_codes(k + first * d, count, d, keys.data() + row * d);
    }
    for (std::int64_t row = 0; row < blocks(); ++row)
      see_largest(row, code_products(queries.data() + row * d, keys.data(), row, d), seen);
  }

  // The pattern `learned`: the blocks with the largest weights, blocks() x blocks() of them.
  void see_heaviest(const double* weights, std::uint8_t* seen) const {
    for (std::int64_t row = 0; row < blocks(); ++row) {
      const double* const of_row = weights + row * blocks();
      see_largest(row, std::vector<double>(of_row, of_row + row), seen);
    }
  }

 private:
  // `scores` are those of the blocks before the diagonal.
  template <class Score>
  void see_largest(std::int64_t row, const std::vector<Score>& scores, std::uint8_t* seen) const {
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(kept(row)), static_cast<std::int32_t>(row));
    choose_largest(scores, kept(row) - 1, chosen.data());
    mark(row, chosen, seen);
  }
  void mark(std::int64_t row, const std::vector<std::int32_t>& chosen, std::uint8_t* seen) const {
    std::uint8_t* const of_row = seen + row * blocks();
    std::fill_n(of_row, blocks(), std::uint8_t{0});
    for (const std::int32_t key : chosen) of_row[key] = 1;
  }

  std::int64_t sequence_;
  std::int64_t block_;
  std::vector<std::int64_t> kept_;  // of each block of queries
  double left_out_ = 0;
};

}  // namespace sparse_attention
