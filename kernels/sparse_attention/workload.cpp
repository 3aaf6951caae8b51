// The workload sparse_attention: parameters, work, tolerance, inputs, the float64 oracle, and how far a
// pattern is from dense attention.
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/attention/oracle.h"
#include "kernels/attention_problem.h"
#include "kernels/fill.h"
#include "kernels/sparse_attention/block_choice.h"

namespace sparse_attention {
namespace {

using attention::KeyRange;
using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSink;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Value;

// Keys of blocks that are left out weigh nothing. Without `kept` all keys are seen: dense attention.
class OracleOfBlocks {
 public:
  OracleOfBlocks(std::int64_t sequence, const KeptBlocks* kept) : sequence_(sequence), kept_(kept) {}

  [[nodiscard]] KeyRange keys(std::int64_t, std::int64_t) const { return {0, sequence_}; }
  void adjust(std::int64_t matrix, std::int64_t query, const KeyRange& range, double* scores) const {
    for (std::int64_t key = range.begin; key < range.end; key += block)
      if (hides(matrix, query, key))
        std::fill_n(scores + (key - range.begin), std::min(block, range.end - key),
                    -std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] bool hides(std::int64_t matrix, std::int64_t query, std::int64_t key) const {
    return kept_ != nullptr && !kept_->at(matrix, query, key);
  }

 private:
  std::int64_t sequence_;
  const KeptBlocks* kept_;
};
static_assert(attention::oracle_block == block);

KeptBlocks kept_of(const Shape& shape, std::span<const HostTensor> inputs) {
  const auto each = [](std::int64_t count, const auto& work) {
    harness::sdk::in_parts(count, 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) work(i);
    });
  };
  // Among the inputs O is missing: the lists come after V.
  const void* const chosen = shape.pattern == Pattern::learned ? inputs[o_index].data.data() : nullptr;
  return {shape, kept_blocks(shape, inputs[q_index].data.data(), inputs[k_index].data.data(), chosen, each)};
}

// Operations of both matrix products, in units of 10^9.
double billions(const Shape& shape, double keys) {
  return 4e-9 * static_cast<double>(shape.elements()) * keys;
}

// The least keys that a query sees: the last block may be shorter.
double fewest_keys(const Shape& shape) {
  const std::int64_t missing = shape.blocks() * block - shape.sequence;
  return static_cast<double>(std::max<std::int64_t>(1, shape.kept() * block - missing));
}

class SparseAttention final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "sparse_attention"; }
  [[nodiscard]] std::string_view summary() const override {
    return "attention over the blocks of 128 keys that a pattern keeps, f16";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {
        {"b", ParamKind::integer, "batch", {}, {}, 1},
        {"h", ParamKind::integer, "heads", {}, {}, 1},
        {"s", ParamKind::integer, "sequence length: queries, and as many keys", {}, {}, 1},
        {"d", ParamKind::integer, "elements of one head", {}, {}, 1},
        {"pattern",
         ParamKind::text,
         "which blocks are kept: all, fixed ones, by scores of pooled queries and keys, or those of an input",
         {"dense", "banded", "strided", "threshold", "learned"},
         {Value{std::string("dense")}},
         1},
        {"sparsity",
         ParamKind::integer,
         "percent of the blocks that are left out",
         {},
         {Value{std::int64_t{0}}},
         0}};
  }
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    using harness::sdk::Better;
    return {{"executed_work", "GFLOP", Better::lower, "operations of the blocks that are kept"},
            {"dense_work", "GFLOP", Better::lower, "operations of the same attention with all blocks"},
            {"dense_error", "%", Better::lower, "how far the result is from dense attention, in the norm"}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
  void report(const Params& params, std::span<const HostTensor> inputs, std::span<const HostTensor> outputs,
              MetricSink& sink) const override;
};

// Work counts pairs in blocks that are kept. A learned pattern's lists are read, too. The tolerance is
// attention's.
Problem SparseAttention::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  kernels::require_possible_sequence(shape.sequence);
  Problem problem =
      kernels::attention_problem(shape, DType::f16, fewest_keys(shape) / static_cast<double>(shape.sequence));
  if (shape.pattern == Pattern::learned) {
    problem.tensors.push_back(
        {"chosen", Role::input, DType::i32, {shape.batch, shape.heads, shape.blocks(), shape.kept()}});
    problem.work.bytes += static_cast<double>(problem.tensors.back().bytes());
  }
  problem.tolerance = {5e-4 * std::max(1.0, 12.0 / std::sqrt(static_cast<double>(shape.elements())))};
  return problem;
}

// Blocks have topics, one block in sixteen the same: the topic of each block, the same whatever the pattern.
std::vector<std::int64_t> topics_of(const Shape& shape, std::uint64_t seed) {
  std::vector<std::int64_t> topics(static_cast<std::size_t>(shape.blocks()));
  const std::int64_t of_one = std::max<std::int64_t>(1, shape.blocks() / 16);
  for (std::size_t i = 0; i < topics.size(); ++i) topics[i] = static_cast<std::int64_t>(i) / of_one;
  std::mt19937_64 random(seed);
  for (std::size_t i = topics.size(); i > 1; --i) std::swap(topics[i - 1], topics[random() % i]);
  return topics;
}

// Adds the topics' directions, elements of +-size, to the rows of a tensor of f16.
void add_topics(HostTensor& tensor, const HostTensor& directions, const std::vector<std::int64_t>& topics,
                float size) {
  const std::int64_t s = tensor.spec.shape[2], d = tensor.spec.shape[3];
  auto* const values = reinterpret_cast<std::uint16_t*>(tensor.data.data());
  const auto* const signs = reinterpret_cast<const float*>(directions.data.data());
  harness::sdk::in_parts(tensor.spec.elements() / d, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const float* const sign = signs + topics[static_cast<std::size_t>(row % s / block)] * d;
      for (std::int64_t c = 0; c < d; ++c) {
        std::uint16_t& value = values[row * d + c];
        value =
            harness::sdk::f16_from_float(harness::sdk::float_from_f16(value) + std::copysign(size, sign[c]));
      }
    }
  });
}

// A learned list has the blocks of the same topic, and others by lot.
void choose_learned(HostTensor& chosen, const std::vector<std::int64_t>& topics, std::uint64_t seed) {
  const auto blocks = static_cast<std::int64_t>(topics.size());
  const std::int64_t kept = chosen.spec.shape[3];
  std::mt19937_64 random(seed ^ 0x5EEDU);
  std::vector<std::int32_t> order(topics.size());
  for (std::int64_t row = 0; row < chosen.spec.elements() / kept; ++row) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    std::stable_partition(order.begin(), order.end(), [&](std::int32_t other) {
      return topics[static_cast<std::size_t>(other)] == topics[static_cast<std::size_t>(row % blocks)];
    });
    std::sort(order.begin(), order.begin() + kept);
    for (std::int64_t i = 0; i < kept; ++i)
      chosen.set(row * kept + i, static_cast<double>(order[static_cast<std::size_t>(i)]));
  }
}

// A query's scores are near 8 in blocks of its own topic and near 0 elsewhere, with a variance of about 1:
// about half a percent of the weight is outside its topic. Unstructured inputs would make each pattern
// equally bad.
void SparseAttention::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const Shape shape = shape_of(params);
  constexpr float noise = 0.87F;  // a variance of 1/4
  for (std::size_t i = 0; i <= v_index; ++i)
    kernels::fill_uniform(inputs[i], seed, i, i == v_index ? 1.0F : noise);
  HostTensor directions({"", Role::input, DType::f32, {shape.blocks(), shape.dimension}});
  kernels::fill_uniform(directions, seed, 3, 1.0F);
  const std::vector<std::int64_t> topics = topics_of(shape, seed);
  const float size = std::sqrt(8 / std::sqrt(static_cast<float>(shape.dimension)));
  add_topics(inputs[q_index], directions, topics, size);
  add_topics(inputs[k_index], directions, topics, size);
  if (shape.pattern == Pattern::learned) choose_learned(inputs[o_index], topics, seed);
}

void SparseAttention::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                                std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("sparse_attention has one output, number 0");
  const Shape shape = shape_of(params);
  const KeptBlocks kept = kept_of(shape, inputs);
  attention::answer_oracle({shape.sequence, shape.dimension}, inputs, wanted, expected,
                           [&] { return OracleOfBlocks(shape.sequence, &kept); });
}

// The error against dense attention is that of up to 64 queries, spread over up to 8 matrices.
void SparseAttention::report(const Params& params, std::span<const HostTensor> inputs,
                             std::span<const HostTensor> outputs, MetricSink& sink) const {
  const Shape shape = shape_of(params);
  sink.report("executed_work", billions(shape, fewest_keys(shape)));
  sink.report("dense_work", billions(shape, static_cast<double>(shape.sequence)));
  const std::int64_t matrices = std::min<std::int64_t>(shape.matrices(), 8);
  const std::int64_t queries = std::min<std::int64_t>(shape.sequence, 64 / matrices);
  std::vector<std::int64_t> wanted;
  for (std::int64_t i = 0; i < matrices; ++i)
    for (std::int64_t j = 0; j < queries; ++j) {
      const std::int64_t matrix = i * shape.matrices() / matrices;
      const std::int64_t query = (2 * j + 1) * shape.sequence / (2 * queries);
      for (std::int64_t c = 0; c < shape.dimension; ++c)
        wanted.push_back((matrix * shape.sequence + query) * shape.dimension + c);
    }
  std::vector<double> dense(wanted.size());
  attention::answer_oracle({shape.sequence, shape.dimension}, inputs, wanted, dense,
                           [&] { return OracleOfBlocks(shape.sequence, nullptr); });
  double wrong = 0, size = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = outputs[0].at(wanted[i]) - dense[i];
    wrong += difference * difference;
    size += dense[i] * dense[i];
  }
  sink.report("dense_error", 100 * std::sqrt(wrong / size));
}

}  // namespace
}  // namespace sparse_attention

HARNESS_WORKLOAD(sparse_attention, sparse_attention::SparseAttention)
