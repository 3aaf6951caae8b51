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
constexpr double oracle_products = 8e9;
constexpr std::int64_t least_checked = 16;

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

// Each element by itself: softmax over the keys of all GPUs.
void RingAttention::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                              std::span<const std::int64_t> wanted, std::span<double> expected) const {
  const Shape shape = shape_of(params);
  const std::int64_t d = shape.dimension, block = shape.block();
  const HostTensor& q = inputs[output * o_index + q_index];
  const auto answer = [&](std::int64_t element) {
    const std::int64_t row = element / d, head = row / block;
    std::vector<double> query(static_cast<std::size_t>(d));
    for (std::int64_t c = 0; c < d; ++c)
      query[static_cast<std::size_t>(c)] = q.at(row * d + c) * shape.scale();
    std::vector<double> scores;
    scores.reserve(static_cast<std::size_t>(shape.sequence));
    for (std::size_t gpu = 0; gpu < shape.gpus; ++gpu) {
      const HostTensor& k = inputs[gpu * o_index + k_index];
      for (std::int64_t j = 0; j < block; ++j) {
        double score = 0;
        for (std::int64_t c = 0; c < d; ++c)
          score += query[static_cast<std::size_t>(c)] * k.at((head * block + j) * d + c);
        scores.push_back(score);
      }
    }
    const double top = *std::max_element(scores.begin(), scores.end());
    double total = 0, sum = 0;
    for (std::int64_t j = 0; j < shape.sequence; ++j) {
      const double weight = std::exp(scores[static_cast<std::size_t>(j)] - top);
      const HostTensor& v = inputs[static_cast<std::size_t>(j / block) * o_index + v_index];
      total += weight;
      sum += weight * v.at((head * block + j % block) * d + element % d);
    }
    return sum / total;
  };
  harness::sdk::in_parts(std::ssize(wanted), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      expected[i] = answer(wanted[i]);
  });
}

}  // namespace
}  // namespace ring_attention

HARNESS_WORKLOAD(ring_attention, ring_attention::RingAttention)
