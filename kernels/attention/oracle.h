// answer_oracle(): the float64 answer of attention for the elements that are asked for, whatever the mask. Q,
// K, V and O are (matrices, sequence, dimension), tensors 0 to 3. Host code; it starts threads of its own and
// ends them.
//
// A Mask belongs to one thread. keys(matrix, query) is the range of keys that may be seen; adjust(matrix,
// query, range, scores) changes the scores of those keys, which are q k / sqrt(d): minus infinity hides one.
// A mask may have hides(matrix, query, key): whether adjust() hides all of oracle_block keys from `key` on,
// a multiple of it. Their scores are not computed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/workload.h"
#include "kernels/cpu/isa.h"
#include "kernels/product_oracle.h"

namespace attention {

struct KeyRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

inline constexpr std::int64_t oracle_block = 128;

struct OracleExtents {
  std::int64_t sequence = 1;
  std::int64_t dimension = 1;
};

// The oracle of one matrix (one batch and head), for the queries that are asked for. Keys are widened once
// and kept transposed, a block of them after the other. So the sums over d run side by side over keys, and
// vectorise without being reordered.
template <class Mask>
class Oracle {
 public:
  Oracle(const OracleExtents& extents, std::span<const harness::sdk::HostTensor> inputs, std::int64_t matrix,
         Mask mask)
      : extents_(extents),
        matrix_(matrix),
        first_(matrix * extents.sequence * extents.dimension),
        mask_(std::move(mask)),
        q_(inputs[0]),
        v_(inputs[2]) {
    const std::int64_t s = extents.sequence;
    const std::int64_t d = extents.dimension;
    keys_.resize(static_cast<std::size_t>((s + oracle_block - 1) / oracle_block * oracle_block * d));
    std::vector<double> rows(static_cast<std::size_t>(transposed_together * d));
    for (std::int64_t from = 0; from < s; from += transposed_together) {
      const std::int64_t count = std::min(transposed_together, s - from);
      kernels::widen(inputs[1], first_ + from * d,
                     std::span(rows).first(static_cast<std::size_t>(count * d)));
      for (std::int64_t c = 0; c < d; ++c)
        for (std::int64_t j = 0; j < count; ++j)
          keys_[static_cast<std::size_t>(place_of_key(from + j) + c * oracle_block)] =
              static_cast<float>(rows[static_cast<std::size_t>(j * d + c)]);
    }
  }

  // Elements `wanted` of O, ascending and all of this matrix. Queries are taken a few at a time, so that
  // each block of keys is read once for all of them.
  void answer(std::span<const std::int64_t> wanted, std::span<double> expected) {
    for (std::size_t begin = 0; begin < wanted.size();) {
      std::vector<std::int64_t> queries;
      std::vector<std::int64_t> columns;  // how many of each query are wanted
      std::size_t end = begin;
      for (; end < wanted.size(); ++end) {
        const std::int64_t query = query_of(wanted[end]);
        if (queries.empty() || queries.back() != query) {
          if (queries.size() == together) break;
          queries.push_back(query);
          columns.push_back(0);
        }
        ++columns.back();
      }
      weigh(queries);
      sum_rows_of_values(columns);
      std::size_t row = 0;
      for (std::size_t e = begin; e < end; ++e) {
        if (query_of(wanted[e]) != queries[row]) ++row;
        const std::int64_t column = (wanted[e] - first_) % extents_.dimension;
        expected[e] =
            sums_[row].empty() ? weighted_value(row, column) : sums_[row][static_cast<std::size_t>(column)];
      }
      begin = end;
    }
  }

 private:
  static constexpr std::size_t together = 8;
  static constexpr std::int64_t transposed_together = 64;
  static constexpr std::int64_t columns_worth_rows = 8;

  [[nodiscard]] std::int64_t query_of(std::int64_t element) const {
    return (element - first_) / extents_.dimension;
  }

  [[nodiscard]] bool hides(std::int64_t query, std::int64_t key) const {
    if constexpr (requires { mask_.hides(matrix_, query, key); }) return mask_.hides(matrix_, query, key);
    return false;
  }

  // Where its first element lies; the others follow oracle_block floats apart.
  [[nodiscard]] std::int64_t place_of_key(std::int64_t key) const {
    return key / oracle_block * oracle_block * extents_.dimension + key % oracle_block;
  }

  // scores[j] = query k_j / sqrt(d) for the keys [begin, end) of one block. Each sum runs over d in order;
  // four terms at once save loads and stores.
  void score(std::int64_t query, std::int64_t begin, std::int64_t end, double* scores) const {
    const std::int64_t d = extents_.dimension;
    const float* const keys = keys_.data() + place_of_key(begin);
    const double scale = 1.0 / std::sqrt(static_cast<double>(d));
    const auto term = [&](std::int64_t c) { return q_.at(first_ + query * d + c) * scale; };
    std::int64_t c = 0;
    for (; c + 4 <= d; c += 4) {
      const double q[] = {term(c), term(c + 1), term(c + 2), term(c + 3)};
      isa_.add_four_rows(q, keys + c * oracle_block, oracle_block, scores + begin, end - begin);
    }
    for (; c < d; ++c) {
      const double q = term(c);
      const float* const k = keys + c * oracle_block;
      for (std::int64_t j = begin; j < end; ++j) scores[j] += q * static_cast<double>(k[j - begin]);
    }
  }

  // weights_[row][j] = softmax over the keys that queries[row] sees; all 0 where it sees none.
  void weigh(const std::vector<std::int64_t>& queries) {
    constexpr double hidden = -std::numeric_limits<double>::infinity();
    const std::int64_t s = extents_.sequence;
    weights_.assign(queries.size() * static_cast<std::size_t>(s), 0.0);
    ranges_.clear();
    for (const std::int64_t query : queries) ranges_.push_back(mask_.keys(matrix_, query));
    for (std::int64_t from = 0; from < s; from += oracle_block)
      for (std::size_t row = 0; row < queries.size(); ++row) {
        const std::int64_t begin = std::max(from, ranges_[row].begin);
        const std::int64_t end = std::min(from + oracle_block, ranges_[row].end);
        if (begin < end && !hides(queries[row], from))
          score(queries[row], begin, end, weights_.data() + static_cast<std::int64_t>(row) * s);
      }
    for (std::size_t row = 0; row < queries.size(); ++row) {
      const KeyRange& range = ranges_[row];
      if (range.begin >= range.end) continue;
      double* const scores = weights_.data() + static_cast<std::int64_t>(row) * s;
      mask_.adjust(matrix_, queries[row], range, scores + range.begin);
      const double top = *std::max_element(scores + range.begin, scores + range.end);
      double sum = 0;
      for (std::int64_t j = range.begin; j < range.end; ++j)
        sum += scores[j] = scores[j] == hidden ? 0.0 : std::exp(scores[j] - top);
      for (std::int64_t j = range.begin; j < range.end && top != hidden; ++j) scores[j] /= sum;
    }
  }

  // sums_[row] = all columns of the answer, where many of them are wanted; else empty. Each sum runs over
  // keys in order, as in weighted_value(). It may have been rounded less often, by fused multiply-adds. Rows
  // of V are widened once for all queries.
  void sum_rows_of_values(const std::vector<std::int64_t>& columns) {
    const std::int64_t s = extents_.sequence, d = extents_.dimension;
    sums_.assign(columns.size(), {});
    for (std::size_t row = 0; row < columns.size(); ++row)
      if (columns[row] >= columns_worth_rows) sums_[row].assign(static_cast<std::size_t>(d), 0.0);
    if (std::all_of(sums_.begin(), sums_.end(), [](const auto& one) { return one.empty(); })) return;
    constexpr std::int64_t rows_together = 4;
    std::vector<double> wide(static_cast<std::size_t>(rows_together * d));
    std::vector<float> values(wide.size());
    KeyRange seen{s, 0};  // by any of the queries
    for (const KeyRange& range : ranges_)
      seen = {std::min(seen.begin, range.begin), std::max(seen.end, range.end)};
    for (std::int64_t from = seen.begin; from < seen.end; from += rows_together) {
      const std::int64_t count = std::min(rows_together, seen.end - from);
      kernels::widen(v_, first_ + from * d, std::span(wide).first(static_cast<std::size_t>(count * d)));
      std::transform(wide.begin(), wide.begin() + count * d, values.begin(),
                     [](double one) { return static_cast<float>(one); });
      for (std::size_t row = 0; row < sums_.size(); ++row) {
        if (sums_[row].empty()) continue;
        const double* const weights = weights_.data() + static_cast<std::int64_t>(row) * s + from;
        double four[rows_together] = {};
        std::copy_n(weights, count, four);
        if (std::any_of(four, four + count, [](double one) { return one != 0; }))
          isa_.add_four_rows(four, values.data(), d, sums_[row].data(), d);
      }
    }
  }

  [[nodiscard]] double weighted_value(std::size_t row, std::int64_t column) const {
    const double* const weights = weights_.data() + static_cast<std::int64_t>(row) * extents_.sequence;
    double sum = 0;
    for (std::int64_t j = ranges_[row].begin; j < ranges_[row].end; ++j)
      if (weights[j] != 0) sum += weights[j] * v_.at(first_ + j * extents_.dimension + column);
    return sum;
  }

  OracleExtents extents_;
  std::int64_t matrix_;
  std::int64_t first_;  // element of Q, K, V and O with which the matrix begins
  Mask mask_;
  const harness::sdk::HostTensor& q_;
  const harness::sdk::HostTensor& v_;
  std::vector<float> keys_;  // of each block: d x oracle_block
  std::vector<double> weights_;
  std::vector<std::vector<double>> sums_;
  std::vector<KeyRange> ranges_;  // of the queries at hand
  const kernels::Isa& isa_ = kernels::best_isa();
};

// Calls piece(i) for every i in [0, pieces), on as many threads as are worth it.
template <class Piece>
void share_oracle(std::int64_t pieces, const Piece& piece) {
  std::atomic<std::int64_t> next = 0;
  const auto drain = [&] {
    for (std::int64_t i = next.fetch_add(1); i < pieces; i = next.fetch_add(1)) piece(i);
  };
  const auto most = std::clamp<std::int64_t>(pieces, 1, harness::sdk::preparing_threads());
  std::vector<std::jthread> threads;
  for (std::int64_t t = 1; t < most; ++t) threads.emplace_back(drain);
  drain();
}

// Only the matrices and queries that hold wanted elements are computed. Threads share the matrices, and the
// queries of one where there are more threads. make_mask() makes the mask of one of them, and is called by
// any of them.
template <class MakeMask>
void answer_oracle(const OracleExtents& extents, std::span<const harness::sdk::HostTensor> inputs,
                   std::span<const std::int64_t> wanted, std::span<double> expected,
                   const MakeMask& make_mask) {
  const std::int64_t matrix_elements = extents.sequence * extents.dimension;
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  // Where in `order` other rows of `elements` each begin.
  const auto begins_of = [&](std::int64_t elements) {
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < order.size(); ++i)
      if (i == 0 || wanted[order[i]] / elements != wanted[order[i - 1]] / elements) begins.push_back(i);
    return begins;
  };
  const std::vector<std::size_t> matrices = begins_of(matrix_elements),
                                 queries = begins_of(extents.dimension);
  const std::size_t of_piece =
      std::max<std::size_t>(1, queries.size() / static_cast<std::size_t>(harness::sdk::preparing_threads()));
  std::vector<std::size_t> begins;  // where in `order` each piece begins
  std::size_t taken = 0;            // queries of the piece at hand
  for (const std::size_t query : queries) {
    if (std::binary_search(matrices.begin(), matrices.end(), query) || taken == of_piece) {
      begins.push_back(query);
      taken = 0;
    }
    ++taken;
  }
  begins.push_back(order.size());
  share_oracle(static_cast<std::int64_t>(begins.size()) - 1, [&](std::int64_t part) {
    const std::size_t begin = begins[static_cast<std::size_t>(part)];
    const std::size_t end = begins[static_cast<std::size_t>(part) + 1];
    std::vector<std::int64_t> elements;
    for (std::size_t i = begin; i < end; ++i) elements.push_back(wanted[order[i]]);
    std::vector<double> answers(elements.size());
    Oracle(extents, inputs, elements.front() / matrix_elements, make_mask()).answer(elements, answers);
    for (std::size_t i = begin; i < end; ++i) expected[order[i]] = answers[i - begin];
  });
}

}  // namespace attention
