// AdamWWorkload: what the workloads adamw and offloaded_adamw have in common, which is all but the memory
// that the moments lie in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/sdk/workload.h"

namespace adamw {

class AdamWWorkload : public harness::sdk::Workload {
 public:
  // `place_of_moments`: as TensorSpec::gpu.
  explicit AdamWWorkload(int place_of_moments) : place_of_moments_(place_of_moments) {}
  [[nodiscard]] std::vector<harness::sdk::ParamSpec> params() const override;
  [[nodiscard]] harness::sdk::Problem problem(const harness::sdk::Params& params) const override;
  void fill(const harness::sdk::Params& params, std::uint64_t seed,
            std::span<harness::sdk::HostTensor> inputs) const override;
  void reference(const harness::sdk::Params& params, std::span<const harness::sdk::HostTensor> inputs,
                 std::size_t output, std::span<const std::int64_t> wanted,
                 std::span<double> expected) const override;

 private:
  int place_of_moments_;
};

}  // namespace adamw
