// The workload adamw, and what it shares with offloaded_adamw: parameters, work, inputs and the float64
// oracle.
#include <cmath>
#include <stdexcept>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/adamw/adamw.h"
#include "kernels/adamw/adamw_workload.h"
#include "kernels/fill.h"

namespace adamw {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

constexpr std::int64_t worth_a_thread = 1 << 14;

class OnDevice final : public AdamWWorkload {
 public:
  OnDevice() : AdamWWorkload(0) {}
  [[nodiscard]] std::string_view name() const override { return "adamw"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a step of AdamW on n weights, in place, float32";
  }
};

}  // namespace

std::vector<ParamSpec> AdamWWorkload::params() const {
  return {{"n", ParamKind::integer, "weights", {}, {}, 1}};
}

// 28 bytes a weight: four tensors read, three written.
Problem AdamWWorkload::problem(const Params& params) const {
  const std::int64_t n = params.integer("n");
  Problem problem;
  problem.tensors = {{"weights", Role::in_place, DType::f32, {n}},
                     {"mean", Role::in_place, DType::f32, {n}, place_of_moments_},
                     {"variance", Role::in_place, DType::f32, {n}, place_of_moments_},
                     {"gradient", Role::input, DType::f32, {n}}};
  problem.work.bytes = 28 * static_cast<double>(n);
  problem.work.items = static_cast<double>(n);
  problem.work.item_name = "weights";
  problem.tolerance = {1e-6};
  return problem;
}

// The gradient stays the same from call to call, so that the moments settle and a weight moves by at most the
// rate a call. A variance is a mean of squares: positive.
void AdamWWorkload::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) kernels::fill_uniform(inputs[i], seed, i, 1);
  auto* const variances = reinterpret_cast<float*>(inputs[variance_index].data.data());
  harness::sdk::in_parts(inputs[variance_index].spec.elements(), worth_a_thread,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t i = first; i < last; ++i) variances[i] = std::fabs(variances[i]);
                         });
}

void AdamWWorkload::reference(const Params&, std::span<const HostTensor> inputs, std::size_t output,
                              std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output > variance_index) throw std::out_of_range("adamw has outputs 0 to 2");
  // All tensors are float32. HostTensor::at() would select the type anew at every element.
  const auto values = [&](std::size_t input) {
    return reinterpret_cast<const float*>(inputs[input].data.data());
  };
  const float* const weights = values(weights_index);
  const float* const means = values(mean_index);
  const float* const variances = values(variance_index);
  const float* const gradients = values(gradient_index);
  harness::sdk::in_parts(std::ssize(wanted), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
      const std::int64_t i = wanted[e];
      const double gradient = gradients[i];
      const double mean = beta1 * means[i] + (1 - beta1) * gradient;
      const double variance = beta2 * variances[i] + (1 - beta2) * gradient * gradient;
      const double weight = weights[i];
      const double direction = mean / correction1 / (std::sqrt(variance / correction2) + epsilon);
      expected[e] = output == mean_index       ? mean
                    : output == variance_index ? variance
                                               : weight - rate * weight_decay * weight - rate * direction;
    }
  });
}

}  // namespace adamw

HARNESS_WORKLOAD(adamw, adamw::OnDevice)
