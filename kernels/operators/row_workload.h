// RowWorkload: the base of the workloads whose result on a row depends on that row alone. Host code.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "harness/sdk/workload.h"
#include "kernels/operators/rows.h"

namespace operators {

class RowWorkload : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::vector<harness::sdk::ParamSpec> params() const override;
  // Bytes: each tensor once. Inputs are uniform, x on (-4, 4) and other tensors on (-1, 1).
  [[nodiscard]] harness::sdk::Problem problem(const harness::sdk::Params& params) const override;
  void fill(const harness::sdk::Params& params, std::uint64_t seed,
            std::span<harness::sdk::HostTensor> inputs) const override;
  void reference(const harness::sdk::Params& params, std::span<const harness::sdk::HostTensor> inputs,
                 std::size_t output, std::span<const std::int64_t> wanted,
                 std::span<double> expected) const override;

 protected:
  using Inputs = std::span<const harness::sdk::HostTensor>;
  using Known = std::array<double, 2>;  // about a row

  // The inputs with their shapes; the output is rows x columns.
  struct Input {
    std::string name;
    std::vector<std::int64_t> shape;
  };
  [[nodiscard]] virtual std::vector<Input> inputs_of(const Rows& shape) const = 0;
  [[nodiscard]] virtual Known learn(Inputs, const Rows&, std::int64_t row) const = 0;
  [[nodiscard]] virtual double answer(Inputs, const Rows&, std::int64_t row, std::int64_t column,
                                      const Known& known) const = 0;
};

}  // namespace operators
