// The workload linear_gelu: parameters, work, tolerance, inputs and the float64 oracle.
#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/linear_gelu/linear_gelu.h"
#include "kernels/product_oracle.h"
#include "kernels/product_work.h"

namespace linear_gelu {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::MetricSink;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Value;

class LinearGelu final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "linear_gelu"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Y[m,n] = gelu(X[m,k] W[k,n] + b[n]), row-major";
  }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of X, W, b and Y", {"f32", "f16", "bf16"}, {}, 1},
            {"m", ParamKind::integer, "rows of X and Y", {}, {}, 1},
            {"n", ParamKind::integer, "columns of W and Y", {}, {}, 1},
            {"k", ParamKind::integer, "columns of X, rows of W", {}, {}, 1},
            {"gelu", ParamKind::text, "form of GELU", {"tanh", "erf"}, {Value{std::string("tanh")}}, 1}};
  }

  // Two passes over Y at an H200's 184 operations a byte, against 2mnk operations.
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    return {{"fusion_bound", "", harness::sdk::Better::higher,
             "largest speedup of fusing over a product and one elementwise kernel, 16-bit, H200: 1 + 367/k"}};
  }
  void report(const Params& params, std::span<const HostTensor>, std::span<const HostTensor>,
              MetricSink& sink) const override {
    sink.report("fusion_bound", 1.0 + 367.0 / static_cast<double>(shape_of(params).k));
  }

  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// The bias counts as read; its additions and GELU are left out, as is usual, so that the rate compares with
// that of a plain matrix product.
Problem LinearGelu::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  kernels::require_possible_extents(product_shape(shape));
  Problem problem;
  problem.tensors = {{"x", Role::input, shape.dtype, {shape.m, shape.k}},
                     {"w", Role::input, shape.dtype, {shape.k, shape.n}},
                     {"bias", Role::input, shape.dtype, {shape.n}},
                     {"y", Role::output, shape.dtype, {shape.m, shape.n}}};
  problem.work = kernels::work_of_product(product_shape(shape));
  problem.work.bytes +=
      static_cast<double>(harness::sdk::size_of(shape.dtype)) * static_cast<double>(shape.n);
  problem.tolerance = kernels::tolerance_of_product(product_shape(shape));
  return problem;
}

// X and b are uniform on (-1, 1), W on (-3, 3)/sqrt(k): X and W then have variances 1/3 and 3/k, so XW has
// variance 1 for any k, and with b about 4/3. GELU so sees both signs, its bend and both of its tails,
// and no 16-bit value overflows or vanishes.
void LinearGelu::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const Shape shape = shape_of(params);
  const float weight_scale = 3.0F / std::sqrt(static_cast<float>(shape.k));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    kernels::fill_uniform(inputs[i], seed, i, i == w_index ? weight_scale : 1.0F);
}

void LinearGelu::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                           std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("linear_gelu has one output, number 0");
  const Shape shape = shape_of(params);
  kernels::product_oracle(product_shape(shape), inputs[x_index], inputs[w_index], wanted, expected);
  for (std::size_t e = 0; e < wanted.size(); ++e)
    expected[e] = gelu(expected[e] + inputs[bias_index].at(wanted[e] % shape.n), shape.gelu);
}

}  // namespace
}  // namespace linear_gelu

HARNESS_WORKLOAD(linear_gelu, linear_gelu::LinearGelu)
