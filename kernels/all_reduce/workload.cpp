// The workload all_reduce: parameters, tensors on each GPU, work, inputs and the oracle.
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/all_reduce/all_reduce.h"
#include "kernels/fill.h"

namespace all_reduce {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

class AllReduceWorkload final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "all_reduce"; }
  [[nodiscard]] std::string_view summary() const override {
    return "each GPU gets the sums of the values that all GPUs have";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"gpus", ParamKind::integer, "how many GPUs, or threads on a CPU", {}, {}, 1},
            {"n", ParamKind::integer, "float32 values of each GPU", {}, {}, 1}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const override {
    for (std::size_t i = 0; i < inputs.size(); ++i) kernels::fill_uniform(inputs[i], seed, i, 1.0F);
  }
  void reference(const Params&, std::span<const HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      expected[e] = 0;
      for (const HostTensor& input : inputs) expected[e] += input.at(wanted[e]);
    }
  }
};

// Each value is read once and each sum written once on each GPU. A GPU sends at least 2 (gpus - 1) / gpus of
// its values: all but one part of them to be summed, and the sums of one part to all others (Patarasuk and
// Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009).
Problem AllReduceWorkload::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  const auto gpus = static_cast<double>(shape.gpus);
  const auto n = static_cast<double>(shape.n);
  Problem problem;
  problem.gpus = static_cast<int>(params.integer("gpus"));
  for (const Role role : {Role::input, Role::output})
    for (int gpu = 0; gpu < problem.gpus; ++gpu)
      problem.tensors.push_back(
          {(role == Role::input ? "x" : "sum") + std::to_string(gpu), role, DType::f32, {shape.n}, gpu});
  problem.work = {.flops = (gpus - 1) * n,
                  .bytes = 8 * gpus * n,
                  .items = n,
                  .item_name = "values",
                  .link_bytes = 4 * 2 * (gpus - 1) / gpus * n};
  problem.tolerance = {1e-6};
  return problem;
}

}  // namespace
}  // namespace all_reduce

HARNESS_WORKLOAD(all_reduce, all_reduce::AllReduceWorkload)
