// The workload rms_norm_linear: parameters, work, tolerance, inputs and the float64 oracle.
#include <cmath>
#include <stdexcept>

#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/operators/rms_norm_linear/rms_norm_linear.h"
#include "kernels/product_oracle.h"
#include "kernels/product_work.h"

namespace operators::rms_norm_linear {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

class RmsNormLinear final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "rms_norm_linear"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Y[m,n] = rms_norm(X[m,k]; gain[k]) W[k,n], row-major";
  }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of all tensors", {"f32", "f16", "bf16"}, {}, 1},
            {"m", ParamKind::integer, "rows of X and Y", {}, {}, 1},
            {"n", ParamKind::integer, "columns of W and Y", {}, {}, 1},
            {"k", ParamKind::integer, "columns of X, rows of W", {}, {}, 1}};
  }

  [[nodiscard]] std::vector<harness::sdk::MetricSpec> metrics() const override {
    return kernels::metrics_of_library();
  }

  // The operations are those of the product alone, so that the rate compares with that of a plain one.
  [[nodiscard]] Problem problem(const Params& params) const override {
    const kernels::ProductShape shape = shape_of(params);
    kernels::require_possible_extents(shape);
    Problem problem;
    problem.tensors = {{"x", Role::input, shape.dtype, {shape.m, shape.k}},
                       {"gain", Role::input, shape.dtype, {shape.k}},
                       {"w", Role::input, shape.dtype, {shape.k, shape.n}},
                       {"y", Role::output, shape.dtype, {shape.m, shape.n}}};
    problem.work = kernels::work_of_product(shape);
    problem.work.bytes += static_cast<double>(problem.tensors[gain_index].bytes());
    problem.tolerance = kernels::tolerance_of_product(shape);
    return problem;
  }

  // X and the gain are uniform on (-1, 1), W on (-3, 3)/sqrt(k): sums are of order one, whatever k.
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override {
    const float of_w = 3.0F / std::sqrt(static_cast<float>(shape_of(params).k));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      kernels::fill_uniform(inputs[i], seed, i, i == w_index ? of_w : 1.0F);
  }

  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    if (output != 0) throw std::out_of_range("rms_norm_linear has one output, number 0");
    const kernels::ProductShape shape = shape_of(params);
    const HostTensor& x = inputs[x_index];
    std::vector<double> gains;
    for (std::int64_t p = 0; p < shape.k; ++p) gains.push_back(inputs[gain_index].at(p));
    kernels::product_oracle(shape, x, inputs[w_index], wanted, expected, gains);
    std::vector<double> factors(static_cast<std::size_t>(shape.m));  // 0: not known yet
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      const std::int64_t row = wanted[e] / shape.n;
      double& factor = factors[static_cast<std::size_t>(row)];
      if (factor == 0) {
        double squares = 0;
        for (std::int64_t p = 0; p < shape.k; ++p)
          squares += x.at(row * shape.k + p) * x.at(row * shape.k + p);
        factor = 1 / std::sqrt(squares / static_cast<double>(shape.k) + 1e-5);
      }
      expected[e] *= factor;
    }
  }
};

}  // namespace
}  // namespace operators::rms_norm_linear

HARNESS_WORKLOAD(rms_norm_linear, operators::rms_norm_linear::RmsNormLinear)
