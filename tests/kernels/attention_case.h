// A case of attention in host memory, for tests: filled inputs, poisoned output, the oracle's answer.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/attention.h"

void register_workload_attention(harness::sdk::Registry&);
void register_variant_attention_plain(harness::sdk::Registry&);
void register_variant_attention_threads_online(harness::sdk::Registry&);

struct AttentionExtents {
  std::int64_t b = 1;
  std::int64_t h = 1;
  std::int64_t s = 1;
  std::int64_t d = 1;
};

inline harness::sdk::Params attention_params(const std::string& dtype, const AttentionExtents& extents,
                                             bool causal) {
  using harness::sdk::Value;
  return harness::sdk::Params({{"dtype", Value{dtype}},
                               {"b", Value{extents.b}},
                               {"h", Value{extents.h}},
                               {"s", Value{extents.s}},
                               {"d", Value{extents.d}},
                               {"causal", Value{causal}}});
}

class AttentionCase {
 public:
  explicit AttentionCase(harness::sdk::Params case_params, std::uint64_t seed = 1)
      : params(std::move(case_params)) {
    register_workload_attention(registry);
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors.emplace_back(tensor);
    workload().fill(params, seed, inputs());
    poison();
  }

  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<harness::sdk::HostTensor> inputs() { return std::span(tensors).first(3); }
  [[nodiscard]] harness::sdk::HostTensor& output() { return tensors[attention::o_index]; }

  void poison() {
    for (std::int64_t i = 0; i < output().spec.elements(); ++i)
      output().set(i, std::numeric_limits<double>::quiet_NaN());
  }

  // Scores of any size: Q becomes `factor` times what it was.
  void scale_queries(double factor) {
    harness::sdk::HostTensor& q = tensors[attention::q_index];
    for (std::int64_t i = 0; i < q.spec.elements(); ++i) q.set(i, q.at(i) * factor);
  }

  [[nodiscard]] std::vector<double> expected() {
    std::vector<std::int64_t> wanted(static_cast<std::size_t>(output().spec.elements()));
    std::iota(wanted.begin(), wanted.end(), 0);
    std::vector<double> answers(wanted.size());
    workload().reference(params, inputs(), 0, wanted, answers);
    return answers;
  }

  // ||out - ref|| / ||ref|| over all elements; NaN when any element is.
  [[nodiscard]] double error() {
    const std::vector<double> right = expected();
    double wrong = 0;
    double size = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      const double difference = output().at(static_cast<std::int64_t>(i)) - right[i];
      wrong += difference * difference;
      size += right[i] * right[i];
    }
    return std::sqrt(wrong / size);
  }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
};
