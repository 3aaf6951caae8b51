// probe_copy: y = x, float32 by float32. Limited by memory bandwidth alone, and exact.
#include <stdexcept>

#include "harness/sdk/registry.h"
#include "kernels/probe/inputs.h"

namespace probe {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

class Copy final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "probe_copy"; }
  [[nodiscard]] std::string_view summary() const override { return "y[n] = x[n], float32"; }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"n", ParamKind::integer, "elements; 16777216 are 64 MiB", {}, {}, 1}};
  }

  // Every element read once and written once. A copy is right only if it is exact.
  [[nodiscard]] Problem problem(const Params& params) const override {
    const std::int64_t n = params.integer("n");
    if (n > std::int64_t{1} << 36) throw harness::sdk::Unsupported("n must be at most 2^36 elements");
    Problem problem;
    problem.tensors = {{"x", Role::input, DType::f32, {n}}, {"y", Role::output, DType::f32, {n}}};
    problem.work.bytes = 8.0 * static_cast<double>(n);
    problem.tolerance = {0};
    return problem;
  }

  void fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const override {
    fill_uniform(inputs[0], seed, 0, 1.0F);
  }

  void reference(const Params&, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    if (output != 0) throw std::out_of_range("probe_copy has one output, number 0");
    for (std::size_t e = 0; e < wanted.size(); ++e) expected[e] = inputs[0].at(wanted[e]);
  }
};

}  // namespace
}  // namespace probe

HARNESS_WORKLOAD(probe_copy, probe::Copy)
