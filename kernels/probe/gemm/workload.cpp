// probe_gemm: C = A B, square and row-major, sums in float32 or better. The cases are limited by the matrix
// units where n is large (and by the power that those draw), by latency where it is small.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/sdk/registry.h"
#include "kernels/probe/inputs.h"
#include "kernels/product_oracle.h"

namespace probe {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

class Gemm final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "probe_gemm"; }
  [[nodiscard]] std::string_view summary() const override { return "C = A B, all n x n, row-major"; }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of A, B and C", {"f16", "f32"}, {}, 1},
            {"n", ParamKind::integer, "rows and columns", {}, {}, 1}};
  }

  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// 2n^3 operations, and every matrix once through memory. One rounding to f16 costs about 2e-4 of the norm;
// sums in float32 add about 6e-8 sqrt(n).
Problem Gemm::problem(const Params& params) const {
  const std::int64_t n = params.integer("n");
  const DType dtype = params.dtype();
  if (n > std::int64_t{1} << 18) throw harness::sdk::Unsupported("n must be at most 2^18");
  Problem problem;
  problem.tensors = {{"a", Role::input, dtype, {n, n}},
                     {"b", Role::input, dtype, {n, n}},
                     {"c", Role::output, dtype, {n, n}}};
  const auto extent = static_cast<double>(n);
  problem.work.flops = 2 * extent * extent * extent;
  problem.work.bytes = 3 * extent * extent * static_cast<double>(harness::sdk::size_of(dtype));
  const double few = std::max(1.0, 12 / extent);
  const double sums = 1e-6 * std::max(1.0, std::sqrt(extent / 64));
  problem.tolerance = {((dtype == DType::f16 ? 4e-4 : 0) + sums) * few};
  return problem;
}

// A is uniform on (-1, 1), B on (-3, 3)/sqrt(n): elements of C have variance 1 for any n.
void Gemm::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  fill_uniform(inputs[0], seed, 0, 1.0F);
  fill_uniform(inputs[1], seed, 1, 3.0F / std::sqrt(static_cast<float>(params.integer("n"))));
}

void Gemm::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                     std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("probe_gemm has one output, number 0");
  const std::int64_t n = params.integer("n");
  kernels::product_oracle({params.dtype(), n, n, n}, inputs[0], inputs[1], wanted, expected);
}

}  // namespace
}  // namespace probe

HARNESS_WORKLOAD(probe_gemm, probe::Gemm)
