// NetworkWorkload: the workloads mlp, conv and transformer: parameters, work, tolerance and the float64
// oracle. kernels/backends/cases.py adds variants in Python.
#pragma once

#include "harness/sdk/registry.h"
#include "kernels/backends/network.h"

namespace backends {

class NetworkWorkload : public harness::sdk::Workload {
 public:
  explicit NetworkWorkload(Network network) : network_(network) {}

  [[nodiscard]] std::vector<harness::sdk::ParamSpec> params() const override;
  [[nodiscard]] harness::sdk::Problem problem(const harness::sdk::Params& params) const override;
  void fill(const harness::sdk::Params& params, std::uint64_t seed,
            std::span<harness::sdk::HostTensor> inputs) const override;
  void reference(const harness::sdk::Params& params, std::span<const harness::sdk::HostTensor> inputs,
                 std::size_t output, std::span<const std::int64_t> wanted,
                 std::span<double> expected) const override;

 private:
  Network network_;
};

}  // namespace backends
