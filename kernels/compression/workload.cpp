// The workload compression: parameters, inputs, the lost share, and the oracle.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/compression/compression.h"
#include "kernels/fill.h"

namespace compression {
namespace {

using harness::sdk::Better;
using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

class CompressionWorkload final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "compression"; }
  [[nodiscard]] std::string_view summary() const override {
    return "compresses a gradient with error feedback, and decompresses it";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"form",
             ParamKind::text,
             "the largest values, or codes of 8 bits",
             {"top_1", "top_10", "int8"},
             {},
             1},
            {"n", ParamKind::integer, "values", {}, {}, 2}};
  }
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    return {{"ratio", "", Better::higher, "bytes of the gradient by those of its compressed form"},
            {"lost", "%", Better::lower, "norm of the next residual, of that of gradient and residual"}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
  void report(const Params& params, std::span<const HostTensor> inputs, std::span<const HostTensor> outputs,
              harness::sdk::MetricSink& sink) const override;
};

// Residual and gradient are read, residual and restored gradient written: 16 bytes a value.
Problem CompressionWorkload::problem(const Params& params) const {
  const std::int64_t n = params.integer("n");
  if (n > std::numeric_limits<std::int32_t>::max()) throw harness::sdk::Unsupported("indices are of 32 bits");
  Problem problem;
  problem.tensors = {{"residual", Role::in_place, DType::f32, {n}},
                     {"gradient", Role::input, DType::f32, {n}},
                     {"restored", Role::output, DType::f32, {n}}};
  problem.work.bytes = 16 * static_cast<double>(n);
  problem.work.items = static_cast<double>(n);
  problem.work.item_name = "values";
  problem.tolerance = {1e-6};
  return problem;
}

// Gradients have few large values: the cube of a uniform one.
void CompressionWorkload::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    kernels::fill_uniform(inputs[i], seed, i, 1);
    auto* const values = reinterpret_cast<float*>(inputs[i].data.data());
    for (std::int64_t e = 0; e < inputs[i].spec.elements(); ++e) values[e] *= values[e] * values[e];
  }
}

// The sum of residual and gradient is a float in every variant. All after it is in double precision.
void CompressionWorkload::reference(const Params& params, std::span<const HostTensor> inputs,
                                    std::size_t output, std::span<const std::int64_t> wanted,
                                    std::span<double> expected) const {
  if (output > 1) throw std::out_of_range("compression has outputs 0 and 1");
  const Settings settings = settings_of(params);
  const std::int64_t n = params.integer("n");
  const auto* const residual = reinterpret_cast<const float*>(inputs[residual_index].data.data());
  const auto* const gradient = reinterpret_cast<const float*>(inputs[gradient_index].data.data());
  std::vector<float> magnitudes(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    magnitudes[static_cast<std::size_t>(i)] = std::fabs(residual[i] + gradient[i]);
  float threshold = 0;
  if (settings.form == Form::largest) {
    std::vector<float> sorted = magnitudes;
    const auto rank = sorted.begin() + most_kept(settings, n);
    std::nth_element(sorted.begin(), rank, sorted.end(), std::greater<>());
    threshold = *rank;
  }
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    const std::int64_t i = wanted[e];
    const float sum = residual[i] + gradient[i];
    double restored = 0;
    if (settings.form == Form::largest) {
      if (std::fabs(sum) > threshold) restored = sum;
    } else {
      const std::int64_t first = i / block_values * block_values;
      const auto begin = magnitudes.begin() + first;
      const float scale = int8_scale(*std::max_element(begin, begin + std::min(block_values, n - first)));
      restored = static_cast<double>(int8_code(sum, scale)) * static_cast<double>(scale);
    }
    expected[e] = output == 0 ? static_cast<double>(sum) - restored : restored;
  }
}

void CompressionWorkload::report(const Params&, std::span<const HostTensor>,
                                 std::span<const HostTensor> outputs, harness::sdk::MetricSink& sink) const {
  double lost = 0, all = 0;
  for (std::int64_t i = 0; i < outputs[0].spec.elements(); ++i) {
    const double rest = outputs[0].at(i), sum = rest + outputs[1].at(i);
    lost += rest * rest;
    all += sum * sum;
  }
  sink.report("lost", all > 0 ? 100 * std::sqrt(lost / all) : 0);
}

}  // namespace
}  // namespace compression

HARNESS_WORKLOAD(compression, compression::CompressionWorkload)
