// A case of one of the probes in host memory, for tests: filled inputs, poisoned outputs, the oracle's
// answer.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "harness/sdk/registry.h"
#include "tests/kernels/relative_error.h"

void register_workload_probe_empty(harness::sdk::Registry&);
void register_workload_probe_copy(harness::sdk::Registry&);
void register_workload_probe_gelu(harness::sdk::Registry&);
void register_workload_probe_gemm(harness::sdk::Registry&);
void register_variant_probe_empty_call(harness::sdk::Registry&);
void register_variant_probe_copy_memcpy(harness::sdk::Registry&);
void register_variant_probe_gelu_threads(harness::sdk::Registry&);
void register_variant_probe_gemm_rows(harness::sdk::Registry&);

class ProbeCase {
 public:
  using Register = void (*)(harness::sdk::Registry&);
  using Entries = std::vector<std::pair<std::string, harness::sdk::Value>>;

  ProbeCase(Register register_workload, Entries entries, std::uint64_t seed = 1)
      : params(std::move(entries)) {
    register_workload(registry);
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors.emplace_back(tensor);
    if (!tensors.empty()) workload().fill(params, seed, inputs());
    poison();
  }

  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<harness::sdk::HostTensor> inputs() {
    return std::span(tensors).first(tensors.size() - 1);
  }
  [[nodiscard]] harness::sdk::HostTensor& output() { return tensors.back(); }  // every probe but one has one

  void poison() {
    if (tensors.empty()) return;
    for (std::int64_t i = 0; i < output().spec.elements(); ++i)
      output().set(i, std::numeric_limits<double>::quiet_NaN());
  }

  // Runs a variant with `threads` threads, with guards behind its workspace and its output.
  void run(Register variant, int threads = 3) {
    variant(registry);
    harness::sdk::DeviceTraits traits;
    traits.kind = "cpu";
    traits.multiprocessors = threads;
    const auto kernel = registry.variants.back().make(params, problem, traits);
    std::vector<void*> addresses;
    for (auto& tensor : tensors) addresses.push_back(tensor.data.data());
    std::vector<float> workspace(kernel->workspace_bytes() / sizeof(float), 1.0F);
    kernel->bind({addresses, workspace.data()});
    kernel->run({});
  }

  // ||out - ref|| / ||ref|| over all elements; NaN when any element is.
  [[nodiscard]] double error() { return relative_error(workload(), params, inputs(), output()); }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
};
