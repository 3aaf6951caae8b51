// A case of several GPUs in host memory, for tests: filled inputs, poisoned outputs, the oracle's answers.
// Threads stand for GPUs.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/sdk/registry.h"

class MultiGpuCase {
 public:
  // `gain`: the first input of each GPU is that many times what the workload fills in.
  MultiGpuCase(void (*register_workload)(harness::sdk::Registry&), harness::sdk::Params case_params,
               double gain = 1)
      : params(std::move(case_params)) {
    register_workload(registry);
    problem = workload().problem(params);
    std::vector<harness::sdk::HostTensor> inputs;
    for (const harness::sdk::TensorSpec& tensor : problem.tensors)
      if (tensor.role == harness::sdk::Role::input) inputs.emplace_back(tensor);
    workload().fill(params, 3, inputs);
    for (std::size_t i = 0; gain != 1 && i < inputs.size(); ++i)
      for (std::int64_t e = 0;
           inputs[i].spec.gpu != (i == 0 ? -1 : inputs[i - 1].spec.gpu) && e < inputs[i].spec.elements(); ++e)
        inputs[i].set(e, inputs[i].at(e) * gain);
    inputs_ = std::move(inputs);
    auto next = inputs_.begin();
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) {
      if (tensor.role == harness::sdk::Role::input) {
        tensors.push_back(*next++);
        continue;
      }
      outputs.push_back(tensors.size());
      tensors.emplace_back(tensor);
      for (std::int64_t i = 0; i < tensor.elements(); ++i)
        tensors.back().set(i, std::numeric_limits<double>::quiet_NaN());
    }
    for (harness::sdk::HostTensor& tensor : tensors) addresses.push_back(tensor.data.data());
  }

  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] harness::sdk::Buffers buffers() { return {addresses, nullptr}; }

  void run(void (*register_variant)(harness::sdk::Registry&)) {
    register_variant(registry);
    const auto kernel = registry.variants.front().make(params, problem, harness::sdk::DeviceTraits());
    kernel->bind(buffers());
    for (int call = 0; call < 2; ++call) kernel->run({});
  }

  // ||output - answer|| / ||answer|| of one output, every element of it.
  [[nodiscard]] double error(std::size_t output) const {
    const harness::sdk::HostTensor& tensor = tensors[outputs[output]];
    std::vector<std::int64_t> wanted(static_cast<std::size_t>(tensor.spec.elements()));
    std::iota(wanted.begin(), wanted.end(), std::int64_t{0});
    std::vector<double> expected(wanted.size());
    workload().reference(params, inputs_, output, wanted, expected);
    double off = 0, all = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      off += std::pow(tensor.at(wanted[i]) - expected[i], 2);
      all += expected[i] * expected[i];
    }
    return std::sqrt(off / all);
  }

  harness::sdk::Params params;
  harness::sdk::Registry registry;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
  std::vector<void*> addresses;
  std::vector<std::size_t> outputs;  // indices into tensors

 private:
  std::vector<harness::sdk::HostTensor> inputs_;
};
