#include "kernels/operators/row_workload.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/sdk/in_parts.h"
#include "kernels/fill.h"

namespace operators {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

std::vector<ParamSpec> RowWorkload::params() const {
  return {{"dtype", ParamKind::text, "element type of all tensors", {"f32", "f16", "bf16"}, {}, 1},
          {"rows", ParamKind::integer, "rows of the result", {}, {}, 1},
          {"columns", ParamKind::integer, "columns of the result", {}, {}, 1}};
}

// The separate variants round twice to the element type, which costs 3e-4 (f16) or 2.4e-3 (bf16) of the norm.
// Sums of float32 and its exponential add some 1e-6. With few elements the errors no longer average out.
Problem RowWorkload::problem(const Params& params) const {
  const Rows shape = rows_of(params);
  Problem problem;
  for (const Input& input : inputs_of(shape))
    problem.tensors.push_back({input.name, Role::input, shape.dtype, input.shape});
  problem.tensors.push_back({"y", Role::output, shape.dtype, {shape.rows, shape.columns}});
  for (const harness::sdk::TensorSpec& tensor : problem.tensors)
    problem.work.bytes += static_cast<double>(tensor.bytes());
  problem.work.items = static_cast<double>(shape.rows);
  problem.work.item_name = "rows";
  const double few =
      std::max(1.0, 12 / std::sqrt(static_cast<double>(shape.rows) * static_cast<double>(shape.columns)));
  const double rounding = shape.dtype == DType::f32 ? 5e-6 : shape.dtype == DType::f16 ? 5e-4 : 4e-3;
  problem.tolerance = {rounding * few};
  return problem;
}

void RowWorkload::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    kernels::fill_uniform(inputs[i], seed, i, i == 0 ? 4.0F : 1.0F);
}

void RowWorkload::reference(const Params& params, Inputs inputs, std::size_t output,
                            std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("a workload on rows has one output, number 0");
  const Rows shape = rows_of(params);
  constexpr std::int64_t worth_a_thread = 64;
  harness::sdk::in_parts(std::ssize(wanted), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    std::int64_t known_row = -1;
    Known known = {};
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
      const std::int64_t row = wanted[e] / shape.columns;
      if (row != known_row) known = learn(inputs, shape, row);
      known_row = row;
      expected[e] = answer(inputs, shape, row, wanted[e] % shape.columns, known);
    }
  });
}

}  // namespace operators
