// The workload attention: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/attention/attention.h"
#include "kernels/fill.h"

namespace attention {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Tolerance;
using harness::sdk::Unsupported;
using harness::sdk::Value;
using harness::sdk::Work;

int threads_for(std::int64_t pieces) {
  return static_cast<int>(std::clamp<std::int64_t>(pieces, 1, harness::sdk::preparing_threads()));
}

// Calls piece(i) for every i in [0, pieces), on as many threads as are worth it.
template <class Piece>
void share(std::int64_t pieces, const Piece& piece) {
  std::atomic<std::int64_t> next = 0;
  const auto drain = [&] {
    for (std::int64_t i = next.fetch_add(1); i < pieces; i = next.fetch_add(1)) piece(i);
  };
  std::vector<std::jthread> threads;
  for (int t = 1; t < threads_for(pieces); ++t) threads.emplace_back(drain);
  drain();
}

// The oracle of one matrix (one batch and head), for the queries that are asked for. Keys and values are
// widened once; keys are kept transposed, so that the sums over d run side by side over keys and vectorise
// without being reordered.
class Oracle {
 public:
  Oracle(const Shape& shape, std::span<const HostTensor> inputs, std::int64_t matrix)
      : shape_(shape), first_(matrix * shape.sequence * shape.dimension), q_(inputs[q_index]) {
    const std::int64_t s = shape.sequence;
    const std::int64_t d = shape.dimension;
    keys_.resize(static_cast<std::size_t>(s * d));
    values_.resize(static_cast<std::size_t>(s * d));
    for (std::int64_t j = 0; j < s; ++j)
      for (std::int64_t c = 0; c < d; ++c) {
        const std::int64_t from = first_ + j * d + c;
        keys_[static_cast<std::size_t>(c * s + j)] = static_cast<float>(inputs[k_index].at(from));
        values_[static_cast<std::size_t>(j * d + c)] = static_cast<float>(inputs[v_index].at(from));
      }
  }

  // Elements `wanted` of O, ascending and all of this matrix. Queries are taken a few at a time, so that
  // each block of keys is read once for all of them.
  void answer(std::span<const std::int64_t> wanted, std::span<double> expected) {
    for (std::size_t begin = 0; begin < wanted.size();) {
      std::vector<std::int64_t> queries;
      std::size_t end = begin;
      for (; end < wanted.size(); ++end) {
        const std::int64_t query = query_of(wanted[end]);
        if (!queries.empty() && queries.back() == query) continue;
        if (queries.size() == together) break;
        queries.push_back(query);
      }
      weigh(queries);
      std::size_t row = 0;
      for (std::size_t e = begin; e < end; ++e) {
        if (query_of(wanted[e]) != queries[row]) ++row;
        expected[e] = weighted_value(row, queries[row], (wanted[e] - first_) % shape_.dimension);
      }
      begin = end;
    }
  }

 private:
  static constexpr std::size_t together = 8;
  static constexpr std::int64_t block = 512;

  [[nodiscard]] std::int64_t query_of(std::int64_t element) const {
    return (element - first_) / shape_.dimension;
  }
  [[nodiscard]] std::int64_t keys_seen(std::int64_t query) const {
    return shape_.causal ? query + 1 : shape_.sequence;
  }

  // weights_[row][j] = softmax over the keys that queries[row] sees.
  void weigh(const std::vector<std::int64_t>& queries) {
    const std::int64_t s = shape_.sequence;
    weights_.assign(queries.size() * static_cast<std::size_t>(s), 0.0);
    for (std::int64_t begin = 0; begin < s; begin += block)
      for (std::size_t row = 0; row < queries.size(); ++row) {
        const std::int64_t end = std::min(begin + block, keys_seen(queries[row]));
        double* const scores = weights_.data() + static_cast<std::int64_t>(row) * s;
        for (std::int64_t c = 0; c < shape_.dimension && begin < end; ++c) {
          const double q = q_.at(first_ + queries[row] * shape_.dimension + c) * shape_.scale();
          const float* const k = keys_.data() + c * s;
          for (std::int64_t j = begin; j < end; ++j) scores[j] += q * static_cast<double>(k[j]);
        }
      }
    for (std::size_t row = 0; row < queries.size(); ++row) {
      double* const scores = weights_.data() + static_cast<std::int64_t>(row) * s;
      const std::int64_t seen = keys_seen(queries[row]);
      const double top = *std::max_element(scores, scores + seen);
      double sum = 0;
      for (std::int64_t j = 0; j < seen; ++j) sum += scores[j] = std::exp(scores[j] - top);
      for (std::int64_t j = 0; j < seen; ++j) scores[j] /= sum;
    }
  }

  [[nodiscard]] double weighted_value(std::size_t row, std::int64_t query, std::int64_t column) const {
    const double* const weights = weights_.data() + static_cast<std::int64_t>(row) * shape_.sequence;
    double sum = 0;
    for (std::int64_t j = 0; j < keys_seen(query); ++j)
      sum +=
          weights[j] * static_cast<double>(values_[static_cast<std::size_t>(j * shape_.dimension + column)]);
    return sum;
  }

  Shape shape_;
  std::int64_t first_;  // element of Q, K, V and O with which the matrix begins
  const HostTensor& q_;
  std::vector<float> keys_;    // d x s
  std::vector<float> values_;  // s x d
  std::vector<double> weights_;
};

class Attention final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "attention"; }
  [[nodiscard]] std::string_view summary() const override {
    return "O = softmax(Q K^T / sqrt(d)) V, all (b, h, s, d), row-major";
  }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of Q, K, V and O", {"f16", "bf16"}, {}, 1},
            {"b", ParamKind::integer, "batch", {}, {}, 1},
            {"h", ParamKind::integer, "heads", {}, {}, 1},
            {"s", ParamKind::integer, "sequence length: queries, and as many keys", {}, {}, 1},
            {"d", ParamKind::integer, "elements of one head", {}, {}, 1},
            {"causal", ParamKind::boolean, "query i sees keys 0..i only", {}, {Value{false}}, 1}};
  }

  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// Relative Frobenius error that a correct kernel stays under: weights rounded to 16 bits before the second
// product, and the result rounded, cost about 2e-4 each in f16 and eight times that in bf16. With few
// elements the errors do not average out, hence the allowance below 144 of them.
Tolerance tolerance_of(const Shape& shape) {
  const double few = std::max(1.0, 12.0 / std::sqrt(static_cast<double>(shape.elements())));
  return {(shape.dtype == DType::f16 ? 5e-4 : 4e-3) * few};
}

// Work counts the two matrix products, 4 b h s^2 d operations, and half of them where causal, the usual
// convention; exponentials are not counted. Bytes: Q, K and V read once, O written once.
Problem Attention::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  const double matrices = static_cast<double>(shape.batch) * static_cast<double>(shape.heads);
  const double s = static_cast<double>(shape.sequence);
  const double d = static_cast<double>(shape.dimension);
  if (matrices * s * d > 0x1p38)
    throw Unsupported("a tensor of more than 2^38 elements; choose smaller b, h, s or d");
  Problem problem;
  const std::vector<std::int64_t> extents = {shape.batch, shape.heads, shape.sequence, shape.dimension};
  problem.tensors = {{"q", Role::input, shape.dtype, extents},
                     {"k", Role::input, shape.dtype, extents},
                     {"v", Role::input, shape.dtype, extents},
                     {"o", Role::output, shape.dtype, extents}};
  const double element = static_cast<double>(harness::sdk::size_of(shape.dtype));
  problem.work = Work{(shape.causal ? 2.0 : 4.0) * matrices * s * s * d, 4.0 * matrices * s * d * element,
                      static_cast<double>(shape.batch) * s, "tokens"};
  problem.tolerance = tolerance_of(shape);
  return problem;
}

// Q and K are uniform with variance 1, so the scores have variance 1 for any d, as with normalised
// activations: no query sees one key alone, none sees all alike. V is uniform on (-1, 1).
void Attention::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  (void)params;
  constexpr float unit_variance = 1.7320508F;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    kernels::fill_uniform(inputs[i], seed, i, i == v_index ? 1.0F : unit_variance);
}

// Only the matrices and queries that hold wanted elements are computed; matrices are shared by threads.
void Attention::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                          std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("attention has one output, number 0");
  const Shape shape = shape_of(params);
  const std::int64_t matrix_elements = shape.sequence * shape.dimension;
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<std::size_t> begins;  // where in `order` each matrix begins
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || wanted[order[i]] / matrix_elements != wanted[order[i - 1]] / matrix_elements)
      begins.push_back(i);
  begins.push_back(order.size());
  share(static_cast<std::int64_t>(begins.size()) - 1, [&](std::int64_t part) {
    const std::size_t begin = begins[static_cast<std::size_t>(part)];
    const std::size_t end = begins[static_cast<std::size_t>(part) + 1];
    std::vector<std::int64_t> elements;
    for (std::size_t i = begin; i < end; ++i) elements.push_back(wanted[order[i]]);
    std::vector<double> answers(elements.size());
    Oracle(shape, inputs, elements.front() / matrix_elements).answer(elements, answers);
    for (std::size_t i = begin; i < end; ++i) expected[order[i]] = answers[i - begin];
  });
}

}  // namespace
}  // namespace attention

HARNESS_WORKLOAD(attention, attention::Attention)
