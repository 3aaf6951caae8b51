// The workload qkv_rope: parameters, work, tolerance, inputs and the float64 oracle.
#include <cmath>
#include <stdexcept>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/operators/qkv_rope/qkv_rope.h"
#include "kernels/product_oracle.h"
#include "kernels/product_work.h"

namespace operators::qkv_rope {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

double angle_of(const Shape& shape, std::int64_t position, std::int64_t column) {
  return static_cast<double>(position) *
         std::pow(10000.0, -static_cast<double>(column - column % 2) / static_cast<double>(shape.head));
}

class QkvRope final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "qkv_rope"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Y[m,3d] = X[m,k] W[k,3d], then rotary positions on queries and keys";
  }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of X, W and Y", {"f32", "f16", "bf16"}, {}, 1},
            {"m", ParamKind::integer, "rows of X and Y: tokens", {}, {}, 1},
            {"d", ParamKind::integer, "columns of queries, of keys and of values", {}, {}, 1},
            {"k", ParamKind::integer, "columns of X, rows of W", {}, {}, 1},
            {"s", ParamKind::integer, "tokens of a sequence: row r is at position r % s", {}, {}, 1},
            {"head", ParamKind::integer, "columns of a head", {}, {}, 2}};
  }

  [[nodiscard]] std::vector<harness::sdk::MetricSpec> metrics() const override {
    return kernels::metrics_of_library();
  }

  // The operations are those of the product alone, so that the rate compares with that of a plain one.
  [[nodiscard]] Problem problem(const Params& params) const override {
    const Shape shape = shape_of(params);
    const kernels::ProductShape& product = shape.product;
    kernels::require_possible_extents(product);
    Problem problem;
    problem.tensors = {{"x", Role::input, product.dtype, {product.m, product.k}},
                       {"w", Role::input, product.dtype, {product.k, product.n}},
                       {"turns", Role::input, DType::f32, {shape.sequence, shape.head}},
                       {"y", Role::output, product.dtype, {product.m, product.n}}};
    problem.work = kernels::work_of_product(product);
    problem.work.bytes += static_cast<double>(problem.tensors[turns_index].bytes());
    problem.tolerance = kernels::tolerance_of_product(product);
    return problem;
  }

  // X is uniform on (-1, 1), W on (-3, 3)/sqrt(k): sums are of order one, whatever k.
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override {
    const Shape shape = shape_of(params);
    kernels::fill_uniform(inputs[x_index], seed, x_index, 1.0F);
    kernels::fill_uniform(inputs[w_index], seed, w_index,
                          3.0F / std::sqrt(static_cast<float>(shape.product.k)));
    for (std::int64_t i = 0; i < shape.sequence * shape.head; ++i) {
      const double angle = angle_of(shape, i / shape.head, i % shape.head);
      inputs[turns_index].set(i, i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    }
  }

  // From angles in double precision, not from the table.
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    if (output != 0) throw std::out_of_range("qkv_rope has one output, number 0");
    const Shape shape = shape_of(params);
    const std::int64_t n = shape.product.n;  // even, so that e ^ 1 is the other element of a pair
    std::vector<std::int64_t> others;
    for (const std::int64_t one : wanted) others.push_back(one ^ 1);
    std::vector<double> other(wanted.size());
    kernels::product_oracle(shape.product, inputs[x_index], inputs[w_index], wanted, expected);
    kernels::product_oracle(shape.product, inputs[x_index], inputs[w_index], others, other);
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      const std::int64_t row = wanted[e] / n, column = wanted[e] % n;
      if (column >= n / 3 * 2) continue;
      const double angle = angle_of(shape, row % shape.sequence, column % shape.head);
      expected[e] = expected[e] * std::cos(angle) + (column % 2 == 0 ? -1 : 1) * other[e] * std::sin(angle);
    }
  }
};

}  // namespace
}  // namespace operators::qkv_rope

HARNESS_WORKLOAD(qkv_rope, operators::qkv_rope::QkvRope)
