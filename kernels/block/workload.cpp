// The workload block: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/block/block.h"
#include "kernels/block/oracle.h"
#include "kernels/fill.h"

namespace transformer_block {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::TensorSpec;

class BlockWorkload final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "block"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a pre-norm transformer block, forward: attention and a GELU network, each added to its input";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of all tensors", {"f16"}, {}, 1},
            {"h", ParamKind::integer, "heads", {}, {}, 1},
            {"b", ParamKind::integer, "batch", {}, {}, 1},
            {"s", ParamKind::integer, "sequence length", {}, {}, 1},
            {"d", ParamKind::integer, "elements of a token", {}, {}, 1}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// Work counts the products. Bytes: each tensor once. Every operation of a separate variant rounds to f16,
// which costs 2e-4 each; half of y is x itself. With few elements the errors do not average out.
Problem BlockWorkload::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  const std::int64_t d = shape.width;
  if (static_cast<double>(shape.tokens()) * static_cast<double>(shape.hidden()) > 0x1p36)
    throw harness::sdk::Unsupported("a tensor of more than 2^36 elements; choose smaller b, s or d");
  Problem problem;
  const auto input = [&](const char* name, std::vector<std::int64_t> extents) {
    problem.tensors.push_back({name, Role::input, shape.dtype, std::move(extents)});
  };
  input("x", {shape.batch, shape.sequence, d});
  input("norm1_weight", {d});
  input("norm1_bias", {d});
  input("qkv_weight", {d, 3 * d});
  input("qkv_bias", {3 * d});
  input("out_weight", {d, d});
  input("out_bias", {d});
  input("norm2_weight", {d});
  input("norm2_bias", {d});
  input("up_weight", {d, shape.hidden()});
  input("up_bias", {shape.hidden()});
  input("down_weight", {shape.hidden(), d});
  input("down_bias", {d});
  problem.tensors.push_back({"y", Role::output, shape.dtype, {shape.batch, shape.sequence, d}});
  const auto tokens = static_cast<double>(shape.tokens()), width = static_cast<double>(d);
  problem.work.flops = 24 * tokens * width * width + 4 * tokens * static_cast<double>(shape.sequence) * width;
  for (const TensorSpec& tensor : problem.tensors) problem.work.bytes += static_cast<double>(tensor.bytes());
  problem.work.items = tokens;
  problem.work.item_name = "tokens";
  problem.tolerance = {1e-3 * std::max(1.0, 12 / std::sqrt(static_cast<double>(shape.elements())))};
  return problem;
}

// A token's elements have variance 1, and so have those of every product: no softmax is flat, and none sees
// one key alone.
void BlockWorkload::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  constexpr float unit_variance = 1.7320508F;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<std::int64_t>& extents = inputs[i].spec.shape;
    float scale = 0.5F;  // of a bias
    if (i == x_index || i == norm1_weight || i == norm2_weight) scale = unit_variance;
    if (extents.size() == 2) scale = unit_variance / std::sqrt(static_cast<float>(extents[0]));
    kernels::fill_uniform(inputs[i], seed, i, scale);
  }
}

void BlockWorkload::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                              std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("block has one output, number 0");
  BlockOracle(shape_of(params), inputs).answer(wanted, expected);
}

}  // namespace
}  // namespace transformer_block

HARNESS_WORKLOAD(block, transformer_block::BlockWorkload)
