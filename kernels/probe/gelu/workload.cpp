// probe_gelu: y = gelu(x) in its tanh form. `factor` gives it more elements than n says, for a slowdown that
// is known to be there.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/probe/gelu/gelu.h"
#include "kernels/probe/inputs.h"

namespace probe {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Value;

class Gelu final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "probe_gelu"; }
  [[nodiscard]] std::string_view summary() const override {
    return "y = gelu(x), tanh form, on n times factor elements";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of x and y", {"f16", "f32"}, {}, 1},
            {"n", ParamKind::integer, "elements at factor 1", {}, {}, 1},
            {"factor",
             ParamKind::real,
             "how many times n elements there are: 1.02 is a true slowdown",
             {},
             {Value{1.0}},
             1}};
  }

  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const override {
    fill_uniform(inputs[0], seed, 0, 4.0F);  // both signs, the bend and both tails
  }
  void reference(const Params&, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// One rounding to f16 costs about 2e-4 of the norm, float32 arithmetic about 1e-7; with few elements one that
// rounds badly is not averaged out.
Problem Gelu::problem(const Params& params) const {
  const GeluShape shape = gelu_shape(params);
  const auto elements = static_cast<double>(shape.elements);
  Problem problem;
  problem.tensors = {{"x", Role::input, shape.dtype, {shape.elements}},
                     {"y", Role::output, shape.dtype, {shape.elements}}};
  problem.work.bytes = 2 * elements * static_cast<double>(harness::sdk::size_of(shape.dtype));
  problem.work.items = elements;
  problem.work.item_name = "elements";
  const double few = std::max(1.0, 12 / std::sqrt(elements));
  problem.tolerance = {(shape.dtype == DType::f16 ? 4e-4 : 2e-6) * few};
  return problem;
}

// Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016), section 2, in double precision.
double gelu(double x) {
  constexpr double sqrt_two_over_pi = 0.79788456080286535588;
  return 0.5 * x * (1 + std::tanh(sqrt_two_over_pi * (x + 0.044715 * x * x * x)));
}

constexpr std::int64_t worth_a_thread = 1 << 14;
constexpr std::int64_t f16_values = 1 << 16;

// Most of many f16 values are equal: each value there is has its answer once, at the place that its bits are
// as a number.
void look_up(const HostTensor& x, std::span<const std::int64_t> wanted, std::span<double> expected) {
  std::vector<double> answers(static_cast<std::size_t>(f16_values));
  harness::sdk::in_parts(f16_values, worth_a_thread / 4, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t bits = first; bits < last; ++bits)
      answers[static_cast<std::size_t>(bits)] =
          gelu(harness::sdk::float_from_f16(static_cast<std::uint16_t>(bits)));
  });
  const std::byte* const stored = x.data.data();
  harness::sdk::in_parts(std::ssize(wanted), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, stored + static_cast<std::size_t>(wanted[e]) * sizeof bits, sizeof bits);
      expected[e] = answers[bits];
    }
  });
}

void Gelu::reference(const Params&, std::span<const HostTensor> inputs, std::size_t output,
                     std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("probe_gelu has one output, number 0");
  if (inputs[0].spec.dtype == DType::f16 && std::ssize(wanted) >= 2 * f16_values)
    return look_up(inputs[0], wanted, expected);
  harness::sdk::in_parts(std::ssize(wanted), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e)
      expected[e] = gelu(inputs[0].at(wanted[e]));
  });
}

}  // namespace
}  // namespace probe

HARNESS_WORKLOAD(probe_gelu, probe::Gelu)
