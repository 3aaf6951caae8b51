// The workload host_copy: parameters, tensors and the oracle.
#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/host_copy/host_copy.h"

namespace host_copy {
namespace {

using harness::sdk::DType;
using harness::sdk::host_memory;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

class HostCopyWorkload final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "host_copy"; }
  [[nodiscard]] std::string_view summary() const override {
    return "copies to the device and from it at once: what the host's link carries";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"n", ParamKind::integer, "float32 values each way", {}, {}, 1}};
  }
  // The device's memory moves 8 bytes a value, and so does the link.
  [[nodiscard]] Problem problem(const Params& params) const override {
    const std::int64_t n = params.integer("n");
    Problem problem;
    problem.tensors = {{"of_host", Role::input, DType::f32, {n}, host_memory},
                       {"of_device", Role::input, DType::f32, {n}},
                       {"to_device", Role::output, DType::f32, {n}},
                       {"to_host", Role::output, DType::f32, {n}, host_memory}};
    problem.work.bytes = 8 * static_cast<double>(n);
    problem.work.items = static_cast<double>(n);
    problem.work.item_name = "values each way";
    problem.tolerance = {0};
    return problem;
  }
  void fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const override {
    for (std::size_t i = 0; i < inputs.size(); ++i) kernels::fill_uniform(inputs[i], seed, i, 1);
  }
  void reference(const Params&, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    const HostTensor& from = inputs[output == 0 ? of_host_index : of_device_index];
    for (std::size_t e = 0; e < wanted.size(); ++e) expected[e] = from.at(wanted[e]);
  }
};

}  // namespace
}  // namespace host_copy

HARNESS_WORKLOAD(host_copy, host_copy::HostCopyWorkload)
