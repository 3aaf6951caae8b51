// The workload compression: parameters, inputs, the lost share, and the oracle.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "harness/sdk/in_parts.h"
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

constexpr std::int64_t values_a_thread = 1 << 18;

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

// The value at `rank`, from 0, of n values in descending order. None is negative, so that their order is that
// of their bits: a count of the upper halves tells between which values it lies.
template <class Value>
float ranked(std::int64_t n, std::int64_t rank, const Value& value) {
  const auto upper_half = [&](std::int64_t i) {
    return static_cast<std::size_t>(std::bit_cast<std::uint32_t>(value(i)) >> 16);
  };
  std::vector<std::atomic<std::int64_t>> counts(std::size_t{1} << 16);
  harness::sdk::in_parts(n, values_a_thread, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> own(counts.size());
    for (std::int64_t i = first; i < last; ++i) ++own[upper_half(i)];
    for (std::size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
  });
  std::size_t half = counts.size() - 1;
  std::int64_t above = 0;
  for (; above + counts[half] <= rank; --half) above += counts[half];
  std::vector<float> candidates;
  std::mutex mutex;
  harness::sdk::in_parts(n, values_a_thread, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> own;
    for (std::int64_t i = first; i < last; ++i)
      if (upper_half(i) == half) own.push_back(value(i));
    const std::lock_guard lock(mutex);
    candidates.insert(candidates.end(), own.begin(), own.end());
  });
  const auto found = candidates.begin() + (rank - above);
  std::nth_element(candidates.begin(), found, candidates.end(), std::greater<>());
  return *found;
}

// Gradients have few large values: the cube of a uniform one.
void CompressionWorkload::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    kernels::fill_uniform(inputs[i], seed, i, 1);
    auto* const values = reinterpret_cast<float*>(inputs[i].data.data());
    harness::sdk::in_parts(inputs[i].spec.elements(), values_a_thread,
                           [&](std::int64_t first, std::int64_t last) {
                             for (std::int64_t e = first; e < last; ++e) values[e] *= values[e] * values[e];
                           });
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
  const auto magnitude = [&](std::int64_t i) { return std::fabs(residual[i] + gradient[i]); };
  const float threshold =
      settings.form == Form::largest ? ranked(n, most_kept(settings, n), magnitude) : 0.0F;
  const auto restored_value = [&](std::int64_t i, float sum) -> double {
    if (settings.form == Form::largest) return std::fabs(sum) > threshold ? sum : 0;
    const std::int64_t first = i / block_values * block_values;
    float largest = 0;
    for (std::int64_t j = first; j < std::min(first + block_values, n); ++j)
      largest = std::max(largest, magnitude(j));
    const float scale = int8_scale(largest);
    return static_cast<double>(int8_code(sum, scale)) * static_cast<double>(scale);
  };
  harness::sdk::in_parts(std::ssize(wanted), block_values, [&](std::int64_t begin, std::int64_t end) {
    for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
      const float sum = residual[wanted[e]] + gradient[wanted[e]];
      const double restored = restored_value(wanted[e], sum);
      expected[e] = output == 0 ? static_cast<double>(sum) - restored : restored;
    }
  });
}

void CompressionWorkload::report(const Params&, std::span<const HostTensor>,
                                 std::span<const HostTensor> outputs, harness::sdk::MetricSink& sink) const {
  struct Sums {
    double lost = 0, all = 0;
  };
  const std::int64_t n = outputs[0].spec.elements();
  std::vector<Sums> sums(static_cast<std::size_t>((n + values_a_thread - 1) / values_a_thread));
  harness::sdk::in_parts(std::ssize(sums), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first * values_a_thread; i < std::min(n, last * values_a_thread); ++i) {
      const double rest = outputs[0].at(i), sum = rest + outputs[1].at(i);
      sums[static_cast<std::size_t>(i / values_a_thread)].lost += rest * rest;
      sums[static_cast<std::size_t>(i / values_a_thread)].all += sum * sum;
    }
  });
  double lost = 0, all = 0;
  for (const Sums& one : sums) {
    lost += one.lost;
    all += one.all;
  }
  sink.report("lost", all > 0 ? 100 * std::sqrt(lost / all) : 0);
}

}  // namespace
}  // namespace compression

HARNESS_WORKLOAD(compression, compression::CompressionWorkload)
