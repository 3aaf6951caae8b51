// The workload ring_attention: parameters, tensors on each GPU, work, inputs and the float64 oracle.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/attention_problem.h"
#include "kernels/fill.h"
#include "kernels/ring_attention/ring_attention.h"

namespace ring_attention {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::TensorSpec;

// An element costs as much as its query: all keys. With a million of them some tens are checked.
constexpr double oracle_products = 4e9;
constexpr std::int64_t least_checked = 16;

constexpr std::int64_t keys_together = 512;

class RingAttention final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "ring_attention"; }
  [[nodiscard]] std::string_view summary() const override {
    return "attention over a sequence that is divided among GPUs";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of Q, K, V and O", {"f16", "bf16"}, {}, 1},
            {"gpus", ParamKind::integer, "how many GPUs, or threads on a CPU", {}, {}, 1},
            {"h", ParamKind::integer, "heads", {}, {}, 1},
            {"s", ParamKind::integer, "sequence length on all GPUs together", {}, {}, 1},
            {"d", ParamKind::integer, "elements of one head", {}, {}, 1}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// Work and tolerance as those of attention. Each GPU sends its keys and values to every other one.
Problem RingAttention::problem(const Params& params) const {
  struct Whole {
    std::int64_t batch, heads, sequence, dimension;
  };
  const Shape shape = shape_of(params);
  const auto gpus = static_cast<std::int64_t>(shape.gpus);
  Problem problem =
      kernels::attention_problem(Whole{1, shape.heads, shape.sequence, shape.dimension}, shape.dtype, 1.0);
  const std::vector<TensorSpec> whole = std::exchange(problem.tensors, {});
  problem.gpus = static_cast<int>(gpus);
  for (int gpu = 0; gpu < problem.gpus; ++gpu)
    for (TensorSpec tensor : whole) {
      tensor.name += std::to_string(gpu);
      tensor.shape = {shape.heads, shape.block(), shape.dimension};
      tensor.gpu = gpu;
      problem.tensors.push_back(std::move(tensor));
    }
  const double block = static_cast<double>(shape.block_elements());
  problem.work.link_bytes =
      2 * static_cast<double>(gpus - 1) * block * static_cast<double>(harness::sdk::size_of(shape.dtype));
  const double products =
      static_cast<double>(shape.sequence) * static_cast<double>(shape.dimension) * static_cast<double>(gpus);
  problem.most_checked = std::max(least_checked, static_cast<std::int64_t>(oracle_products / products));
  const double checked = std::min(block, static_cast<double>(problem.most_checked));
  const double few = std::max(1.0, 12.0 / std::sqrt(checked));
  problem.tolerance = {(shape.dtype == DType::f16 ? 5e-4 : 4e-3) * few};
  return problem;
}

// As those of attention: scores have variance 1.
void RingAttention::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  constexpr float unit_variance = 1.7320508F;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    kernels::fill_uniform(inputs[i], seed, i, i % o_index == v_index ? 1.0F : unit_variance);
}

// A stretch of one GPU's keys of one head. Keys are widened once for all queries, and transposed, so that the
// sums over d run side by side over keys and vectorise without being reordered.
class KeyStretch {
 public:
  KeyStretch(const Shape& shape, const HostTensor& k, const HostTensor& v, std::int64_t head,
             std::int64_t first)
      : shape_(shape),
        v_(v),
        first_((head * shape.block() + first) * shape.dimension),
        count_(std::min(keys_together, shape.block() - first)),
        keys_(static_cast<std::size_t>(shape.dimension * count_)),
        weights_(static_cast<std::size_t>(count_)) {
    for (std::int64_t j = 0; j < count_; ++j)
      for (std::int64_t c = 0; c < shape.dimension; ++c)
        keys_[static_cast<std::size_t>(c * count_ + j)] =
            static_cast<float>(k.at(first_ + j * shape.dimension + c));
  }

  // The part of the stretch in one element of O. Weights are relative to that of the largest score, `top`.
  struct Sums {
    double top = 0;
    double weights = 0;
    double values = 0;
  };

  // `element` of the O whose queries are `q`. Neighbours of one query share its weights.
  Sums sums_for(const HostTensor& q, std::int64_t element) {
    if (const std::int64_t query = element / shape_.dimension; query != query_) weigh(q, query);
    Sums sums{top_, total_, 0};
    for (std::int64_t j = 0; j < count_; ++j)
      sums.values += weights_[static_cast<std::size_t>(j)] *
                     v_.at(first_ + j * shape_.dimension + element % shape_.dimension);
    return sums;
  }

 private:
  void weigh(const HostTensor& q, std::int64_t query) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    for (std::int64_t c = 0; c < shape_.dimension; ++c) {
      const double factor = q.at(query * shape_.dimension + c) * shape_.scale();
      const float* const keys = keys_.data() + c * count_;
      for (std::int64_t j = 0; j < count_; ++j)
        weights_[static_cast<std::size_t>(j)] += factor * static_cast<double>(keys[j]);
    }
    top_ = *std::max_element(weights_.begin(), weights_.end());
    total_ = 0;
    for (double& weight : weights_) total_ += weight = std::exp(weight - top_);
    query_ = query;
  }

  const Shape& shape_;
  const HostTensor& v_;
  std::int64_t first_;  // element of K and V
  std::int64_t count_;  // of keys
  std::vector<float> keys_;
  std::vector<double> weights_;  // of query_
  std::int64_t query_ = -1;
  double top_ = 0;
  double total_ = 0;
};

// Softmax over the keys of all GPUs. Stretches do not depend on the number of threads, and are added in their
// order.
void RingAttention::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                              std::span<const std::int64_t> wanted, std::span<double> expected) const {
  const Shape shape = shape_of(params);
  const HostTensor& q = inputs[output * o_index + q_index];
  std::vector<std::vector<std::size_t>> of_head(static_cast<std::size_t>(shape.heads));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    of_head[static_cast<std::size_t>(wanted[i] / (shape.block() * shape.dimension))].push_back(i);
  const std::int64_t in_block = (shape.block() + keys_together - 1) / keys_together;
  const std::int64_t stretches = static_cast<std::int64_t>(shape.gpus) * in_block;
  std::vector<KeyStretch::Sums> sums(wanted.size() * static_cast<std::size_t>(stretches));
  harness::sdk::in_parts(shape.heads * stretches, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t head = i / stretches, stretch = i % stretches;
      const std::vector<std::size_t>& elements = of_head[static_cast<std::size_t>(head)];
      if (elements.empty()) continue;
      const auto owner = static_cast<std::size_t>(stretch / in_block) * o_index;
      KeyStretch keys(shape, inputs[owner + k_index], inputs[owner + v_index], head,
                      stretch % in_block * keys_together);
      for (const std::size_t e : elements)
        sums[e * static_cast<std::size_t>(stretches) + static_cast<std::size_t>(stretch)] =
            keys.sums_for(q, wanted[e]);
    }
  });
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    const std::span all =
        std::span(sums).subspan(e * static_cast<std::size_t>(stretches), static_cast<std::size_t>(stretches));
    double top = all.front().top, weights = 0, values = 0;
    for (const KeyStretch::Sums& one : all) top = std::max(top, one.top);
    for (const KeyStretch::Sums& one : all) {
      weights += one.weights * std::exp(one.top - top);
      values += one.values * std::exp(one.top - top);
    }
    expected[e] = values / weights;
  }
}

}  // namespace
}  // namespace ring_attention

HARNESS_WORKLOAD(ring_attention, ring_attention::RingAttention)
