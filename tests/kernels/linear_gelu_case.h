// A case of linear_gelu in host memory, for tests: filled inputs, poisoned output, the oracle's answer.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "tests/kernels/relative_error.h"

void register_workload_linear_gelu(harness::sdk::Registry&);
void register_variant_linear_gelu_threads_unfused(harness::sdk::Registry&);
void register_variant_linear_gelu_threads_fused(harness::sdk::Registry&);

inline harness::sdk::Params linear_gelu_params(const std::string& dtype, std::int64_t m, std::int64_t n,
                                               std::int64_t k, const std::string& gelu = "tanh") {
  using harness::sdk::Value;
  return harness::sdk::Params(
      {{"dtype", Value{dtype}}, {"m", Value{m}}, {"n", Value{n}}, {"k", Value{k}}, {"gelu", Value{gelu}}});
}

class LinearGeluCase {
 public:
  explicit LinearGeluCase(harness::sdk::Params case_params, std::uint64_t seed = 1)
      : params(std::move(case_params)) {
    register_workload_linear_gelu(registry);
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors.emplace_back(tensor);
    workload().fill(params, seed, inputs());
    poison();
  }

  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<harness::sdk::HostTensor> inputs() { return std::span(tensors).first(3); }
  [[nodiscard]] harness::sdk::HostTensor& output() { return tensors[3]; }

  void poison() {
    for (std::int64_t i = 0; i < output().spec.elements(); ++i)
      output().set(i, std::numeric_limits<double>::quiet_NaN());
  }

  // ||out - ref|| / ||ref|| over all elements; NaN when any element is.
  [[nodiscard]] double error() { return relative_error(workload(), params, inputs(), output()); }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
};
