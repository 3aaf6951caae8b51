// The workload attention: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/oracle.h"
#include "kernels/attention_problem.h"
#include "kernels/fill.h"

namespace attention {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Tolerance;
using harness::sdk::Value;

// Keys 0..i where causal, all of them else.
struct OracleMask {
  bool causal;
  std::int64_t sequence;
  [[nodiscard]] KeyRange keys(std::int64_t, std::int64_t query) const {
    return {0, causal ? query + 1 : sequence};
  }
  void adjust(std::int64_t, std::int64_t, const KeyRange&, double*) const {}
};

class Attention final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "attention"; }
  [[nodiscard]] std::string_view summary() const override {
    return "O = softmax(Q K^T / sqrt(d)) V, all (b, h, s, d), row-major";
  }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of Q, K, V and O", {"f16", "bf16"}, {}, 1},
            {"b", ParamKind::integer, "batch", {}, {}, 1},
            {"h", ParamKind::integer, "heads", {}, {}, 1},
            {"s", ParamKind::integer, "sequence length: queries, and as many keys", {}, {}, 1},
            {"d", ParamKind::integer, "elements of one head", {}, {}, 1},
            {"causal", ParamKind::boolean, "query i sees keys 0..i only", {}, {Value{false}}, 1}};
  }

  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// Relative Frobenius error that a correct kernel stays under: weights rounded to 16 bits before the second
// product, and the result rounded, cost about 2e-4 each in f16 and eight times that in bf16. With few
// elements the errors do not average out, hence the allowance below 144 of them.
Tolerance tolerance_of(const Shape& shape) {
  const double few = std::max(1.0, 12.0 / std::sqrt(static_cast<double>(shape.elements())));
  return {(shape.dtype == DType::f16 ? 5e-4 : 4e-3) * few};
}

// Half of the operations where causal, the usual convention; exponentials are not counted.
Problem Attention::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  Problem problem = kernels::attention_problem(shape, shape.dtype, shape.causal ? 0.5 : 1.0);
  problem.tolerance = tolerance_of(shape);
  return problem;
}

// Q and K are uniform with variance 1, so the scores have variance 1 for any d, as with normalised
// activations: no query sees one key alone, none sees all alike. V is uniform on (-1, 1).
void Attention::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  (void)params;
  constexpr float unit_variance = 1.7320508F;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    kernels::fill_uniform(inputs[i], seed, i, i == v_index ? 1.0F : unit_variance);
}

void Attention::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                          std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("attention has one output, number 0");
  const Shape shape = shape_of(params);
  answer_oracle({shape.sequence, shape.dimension}, inputs, wanted, expected, [&] {
    return OracleMask{shape.causal, shape.sequence};
  });
}

}  // namespace
}  // namespace attention

HARNESS_WORKLOAD(attention, attention::Attention)
