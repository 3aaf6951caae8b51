// The workload quant_gemm: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/product_oracle.h"
#include "kernels/product_work.h"
#include "kernels/quant_gemm/quant_gemm.h"
#include "kernels/quantise.h"

namespace quant_gemm {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::TensorSpec;
using harness::sdk::Value;

namespace {

class QuantGemm final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "quant_gemm"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Y[m,n] = X[m,k] W[n,k]^T, X in f16, W quantised";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"weights",
             ParamKind::text,
             "stored W: f16; i8 by channel; e4m3 with one scale, or one for each 128x128; i4 by 128 of k",
             {"f16", "i8", "e4m3", "e4m3_block", "i4"},
             {},
             1},
            {"m", ParamKind::integer, "rows of X and Y", {}, {}, 1},
            {"n", ParamKind::integer, "rows of W, columns of Y", {}, {}, 1},
            {"k", ParamKind::integer, "columns of X and W", {}, {}, 1},
            {"quantise",
             ParamKind::text,
             "where X becomes i8 or e4m3: inside the timed call, or before it",
             {"inside", "outside"},
             {Value{std::string("inside")}},
             1}};
  }
  // The choice of the library variants, and how a variant adds products of FP8.
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    std::vector<MetricSpec> specs = kernels::metrics_of_library();
    specs.push_back(
        {"fast_accumulation", "", harness::sdk::Better::lower,
         "1: the Tensor Cores add products of FP8 over all of k, with fewer bits than float32 has"});
    return specs;
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

double bytes_of(const std::vector<TensorSpec>& tensors) {
  double bytes = 0;
  for (const TensorSpec& tensor : tensors) bytes += static_cast<double>(tensor.bytes());
  return bytes;
}

// The oracle multiplies the inputs as they are stored, so quantising them is no error of a variant.
Problem QuantGemm::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  kernels::require_possible_extents({DType::f16, shape.m, shape.n, shape.k});
  Problem problem;
  problem.tensors = {{"x", Role::input, shape.stored ? shape.product_type() : DType::f16, {shape.m, shape.k}},
                     {"w", Role::input, shape.weight_type(), {shape.n, shape.k}}};
  if (shape.weights != Weights::f16)
    problem.tensors.push_back({"w_scales", Role::input, DType::f32, {shape.scales()}});
  if (shape.stored) problem.tensors.push_back({"x_scales", Role::input, DType::f32, {shape.x_scales()}});
  problem.tensors.push_back({"y", Role::output, DType::f16, {shape.m, shape.n}});
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  problem.work = {2.0 * m * n * static_cast<double>(shape.k), bytes_of(problem.tensors), m, "rows"};
  problem.tolerance = kernels::tolerance_of_f16_product(shape.m, shape.n);
  return problem;
}

// Fills a matrix and its scales from uniform values, block by block. scale_of(row, column) is the index of
// the scale of an element. Values are drawn twice: a tensor of them would take longer.
template <class ScaleOf>
void fill_quantised(HostTensor& tensor, HostTensor& scales, std::int64_t columns_a_scale, ScaleOf scale_of,
                    std::uint64_t seed, std::size_t stream, float size) {
  const std::int64_t rows = tensor.spec.shape[0], columns = tensor.spec.shape[1];
  const DType type = tensor.spec.dtype;
  const std::int64_t stretches = (columns + columns_a_scale - 1) / columns_a_scale;
  // act(i, row, column, values): stretch i has these values, from there on. Two rows at once: then a thread
  // begins at a whole byte of a packed type.
  const auto for_each_stretch = [&](const auto& act) {
    harness::sdk::in_parts((rows + 1) / 2, 16, [&](std::int64_t first, std::int64_t last) {
      std::vector<float> drawn(static_cast<std::size_t>(std::min(columns_a_scale, columns)));
      for (std::int64_t i = 2 * first * stretches; i < std::min(2 * last, rows) * stretches; ++i) {
        const std::int64_t row = i / stretches, column = i % stretches * columns_a_scale;
        const std::span values =
            std::span(drawn).first(static_cast<std::size_t>(std::min(columns_a_scale, columns - column)));
        kernels::draw_uniform(values, row * columns + column, seed, stream, size);
        act(i, row, column, values);
      }
    });
  };
  std::vector<float> of_stretch(static_cast<std::size_t>(rows * stretches));
  for_each_stretch([&](std::int64_t i, std::int64_t, std::int64_t, std::span<const float> values) {
    of_stretch[static_cast<std::size_t>(i)] = kernels::largest_magnitude(values.data(), std::ssize(values));
  });
  std::vector<float> of_scale(static_cast<std::size_t>(scales.spec.elements()));
  for (std::int64_t i = 0; i < rows * stretches; ++i) {
    float& largest =
        of_scale[static_cast<std::size_t>(scale_of(i / stretches, i % stretches * columns_a_scale))];
    largest = std::max(largest, of_stretch[static_cast<std::size_t>(i)]);
  }
  for (std::int64_t i = 0; i < scales.spec.elements(); ++i)
    scales.set(i, static_cast<double>(kernels::scale_for(of_scale[static_cast<std::size_t>(i)], type)));
  for_each_stretch([&](std::int64_t, std::int64_t row, std::int64_t column, std::span<const float> values) {
    const auto scale = static_cast<float>(scales.at(scale_of(row, column)));
    kernels::store_codes(values.data(), std::ssize(values), scale, type, tensor.data.data(),
                         row * columns + column);
  });
}

// X is uniform on (-1, 1), W on (-3, 3)/sqrt(k), so that elements of Y have variance 1.
void QuantGemm::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const Shape shape = shape_of(params);
  const float weight_size = 3.0F / std::sqrt(static_cast<float>(shape.k));
  if (shape.stored)
    fill_quantised(
        inputs[x_index], inputs[x_scales_index], shape.x_columns_a_scale(),
        [&](std::int64_t row, std::int64_t column) { return shape.x_scale_of(row, column); }, seed, 0, 1.0F);
  else
    kernels::fill_uniform(inputs[x_index], seed, 0, 1.0F);
  if (shape.weights == Weights::f16)
    kernels::fill_uniform(inputs[w_index], seed, 1, weight_size);
  else
    fill_quantised(
        inputs[w_index], inputs[w_scales_index], shape.columns_a_scale(),
        [&](std::int64_t row, std::int64_t column) { return shape.scale_of(row, column); }, seed, 1,
        weight_size);
}

void QuantGemm::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                          std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("quant_gemm has one output, number 0");
  const Shape shape = shape_of(params);
  // Along k, a group has one scale in every type.
  const auto element = [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t p = 0; p < shape.k; p += group) {
      std::array<double, group> of_x, of_w;
      const auto count = static_cast<std::size_t>(std::min(group, shape.k - p));
      kernels::widen(inputs[x_index], row * shape.k + p, std::span(of_x).first(count));
      kernels::widen(inputs[w_index], column * shape.k + p, std::span(of_w).first(count));
      const double x_scale = shape.stored ? inputs[x_scales_index].at(shape.x_scale_of(row, p)) : 1;
      const double w_scale =
          shape.weights != Weights::f16 ? inputs[w_scales_index].at(shape.scale_of(column, p)) : 1;
      for (std::size_t i = 0; i < count; ++i) sum += of_x[i] * x_scale * (of_w[i] * w_scale);
    }
    return sum;
  };
  kernels::answer_product(shape.n, shape.k, wanted, expected, element);
}

}  // namespace
}  // namespace quant_gemm

HARNESS_WORKLOAD(quant_gemm, quant_gemm::QuantGemm)
