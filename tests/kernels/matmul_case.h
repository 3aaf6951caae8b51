// A case of matmul in host memory, for tests: filled inputs, and how wrong an output is.
#pragma once

#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "tests/kernels/relative_error.h"

void register_workload_matmul(harness::sdk::Registry&);
void register_variant_matmul_loops(harness::sdk::Registry&);
void register_variant_matmul_threads(harness::sdk::Registry&);

inline harness::sdk::Params matmul_params(const std::string& dtype, std::int64_t m, std::int64_t n,
                                          std::int64_t k) {
  using harness::sdk::Value;
  return harness::sdk::Params({{"dtype", Value{dtype}}, {"m", Value{m}}, {"n", Value{n}}, {"k", Value{k}}});
}

class MatmulCase {
 public:
  explicit MatmulCase(harness::sdk::Params case_params, std::uint64_t seed = 1)
      : params(std::move(case_params)) {
    register_workload_matmul(registry);
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors.emplace_back(tensor);
    workload().fill(params, seed, inputs());
    std::fill(output().data.begin(), output().data.end(), std::byte{0xFF});
  }

  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<harness::sdk::HostTensor> inputs() { return std::span(tensors).first(2); }
  [[nodiscard]] harness::sdk::HostTensor& output() { return tensors[2]; }

  // ||out - ref|| / ||ref|| over all elements; NaN when any element is.
  [[nodiscard]] double error() { return relative_error(workload(), params, inputs(), output()); }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
};
