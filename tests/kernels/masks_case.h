// A case of masks in host memory, for tests: filled inputs, poisoned output, the oracle's answer.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/masks/masks.h"
#include "tests/kernels/relative_error.h"

void register_workload_masks(harness::sdk::Registry&);
void register_variant_masks_plain(harness::sdk::Registry&);
void register_variant_masks_threads_blocks(harness::sdk::Registry&);

struct MaskCase {
  std::string mask = "true";
  std::string score = "score";
  std::int64_t s = 1;
  std::int64_t d = 64;
  std::int64_t b = 1;
  std::int64_t h = 1;
  std::int64_t documents = 1;
  std::string dtype = "f16";
};

inline harness::sdk::Params masks_params(const MaskCase& one) {
  using harness::sdk::Value;
  return harness::sdk::Params({{"dtype", Value{one.dtype}},
                               {"b", Value{one.b}},
                               {"h", Value{one.h}},
                               {"s", Value{one.s}},
                               {"d", Value{one.d}},
                               {"mask", Value{one.mask}},
                               {"score", Value{one.score}},
                               {"documents", Value{one.documents}}});
}

// Tensors filled and the output poisoned.
class FilledMasks {
 public:
  explicit FilledMasks(const MaskCase& one, std::uint64_t seed = 5) : params(masks_params(one)) {
    register_workload_masks(registry);
    problem = workload().problem(params);
    for (const auto& spec : problem.tensors) tensors.emplace_back(spec);
    workload().fill(params, seed, inputs());
    std::fill(output().data.begin(), output().data.end(), std::byte{0xFF});
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<harness::sdk::HostTensor> inputs() { return std::span(tensors).first(3); }
  [[nodiscard]] harness::sdk::HostTensor& output() { return tensors[masks::o_index]; }
  [[nodiscard]] double error() { return relative_error(workload(), params, inputs(), output()); }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
};
