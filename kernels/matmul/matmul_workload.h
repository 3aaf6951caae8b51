// The workload matmul: parameters, work, tolerance, inputs and the float64 oracle. tiled_matmul is the same
// problem with one more parameter.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/sdk/workload.h"
#include "kernels/fill.h"
#include "kernels/matmul/matmul.h"
#include "kernels/product_oracle.h"
#include "kernels/product_work.h"

namespace matmul {

// Relative Frobenius error that a correct kernel stays under. One rounding of the result costs about 2e-4
// (f16) or 1.7e-3 (bf16) on average. TF32 inputs lose 13 bits of mantissa, about 3e-4 rounded to nearest and
// 8e-4 when cut off. Sums in float32 add about 6e-8 sqrt(k/6), which only f32 can see. With few elements the
// errors no longer average out and one cancelling sum can dominate, hence the allowance below 144 elements.
inline harness::sdk::Tolerance tolerance_of(const Shape& shape) {
  const double k = static_cast<double>(shape.k);
  const double elements = static_cast<double>(shape.m) * static_cast<double>(shape.n);
  const double few = std::max(1.0, 12.0 / std::sqrt(elements));
  switch (shape.arithmetic) {
    case Arithmetic::f16: return {6e-4 * few};
    case Arithmetic::bf16: return {4e-3 * few};
    case Arithmetic::tf32: return {1.5e-3 * few};
    case Arithmetic::f32: break;
  }
  return {1e-5 * few * std::max(1.0, std::sqrt(k / 16384.0))};
}

class MatmulWorkload : public harness::sdk::Workload {
 public:
  using Params = harness::sdk::Params;
  using HostTensor = harness::sdk::HostTensor;
  using ParamSpec = harness::sdk::ParamSpec;
  using ParamKind = harness::sdk::ParamKind;
  using MetricSpec = harness::sdk::MetricSpec;

  [[nodiscard]] std::string_view name() const override { return "matmul"; }
  [[nodiscard]] std::string_view summary() const override { return "C[m,n] = A[m,k] B[k,n], row-major"; }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype",
             ParamKind::text,
             "element type; tf32 is float32 that may be multiplied with 10 bits of mantissa",
             {"f32", "f16", "bf16", "tf32"},
             {},
             1},
            {"m", ParamKind::integer, "rows of A and C", {}, {}, 1},
            {"n", ParamKind::integer, "columns of B and C", {}, {}, 1},
            {"k", ParamKind::integer, "columns of A, rows of B", {}, {}, 1}};
  }

  [[nodiscard]] std::vector<MetricSpec> metrics() const override { return kernels::metrics_of_library(); }

  [[nodiscard]] harness::sdk::Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

inline harness::sdk::Problem MatmulWorkload::problem(const harness::sdk::Params& params) const {
  const Shape shape = shape_of(params);
  kernels::require_possible_extents(product_shape(shape));
  const harness::sdk::DType storage = storage_of(shape.arithmetic);
  harness::sdk::Problem problem;
  problem.tensors = {{"a", harness::sdk::Role::input, storage, {shape.m, shape.k}},
                     {"b", harness::sdk::Role::input, storage, {shape.k, shape.n}},
                     {"c", harness::sdk::Role::output, storage, {shape.m, shape.n}}};
  problem.work = kernels::work_of_product(product_shape(shape));
  problem.tolerance = tolerance_of(shape);
  return problem;
}

// Both uniform on (-1, 1): sums have mean 0 and variance k/9, far inside the range of every type here.
inline void MatmulWorkload::fill(const harness::sdk::Params&, std::uint64_t seed,
                                 std::span<harness::sdk::HostTensor> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) kernels::fill_uniform(inputs[i], seed, i, 1.0F);
}

inline void MatmulWorkload::reference(const harness::sdk::Params& params,
                                      std::span<const harness::sdk::HostTensor> inputs, std::size_t output,
                                      std::span<const std::int64_t> wanted,
                                      std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("matmul has one output, number 0");
  kernels::product_oracle(product_shape(shape_of(params)), inputs[a_index], inputs[b_index], wanted,
                          expected);
}

}  // namespace matmul
