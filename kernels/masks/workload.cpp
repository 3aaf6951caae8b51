// The workload masks: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/oracle.h"
#include "kernels/attention_problem.h"
#include "kernels/fill.h"
#include "kernels/masks/block_map.h"
#include "kernels/masks/masks.h"

namespace masks {
namespace {

using attention::KeyRange;
using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSink;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Tolerance;
using harness::sdk::Value;

// Blocks by which the work is counted: those of the kernels.
constexpr std::int64_t counted_block = 128;

// The share of all pairs that lie in blocks which are not empty. Suites ask again and again about few masks.
double seen_share(const Shape& shape) {
  const Rules rules(shape);  // an error in an expression is one each time
  static std::mutex mutex;
  static std::map<std::string, double> known;
  const std::string key = rules.mask().canonical() + "/" + std::to_string(shape.sequence) + "/" +
                          std::to_string(shape.heads) + "/" + std::to_string(shape.documents);
  const std::lock_guard lock(mutex);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known[key] = BlockMap(rules, counted_block, counted_block).share(shape.sequence);
}

// The oracle asks it about the keys of a query.
class MaskOfOracle {
 public:
  explicit MaskOfOracle(const Rules& rules)
      : rules_(&rules),
        mask_(rules.mask(), rules.domain()),
        score_(rules.score(), rules.domain()),
        seen_(static_cast<std::size_t>(rules.domain().sequence)) {}

  KeyRange keys(std::int64_t matrix, std::int64_t query) {
    mask_.seen(head(matrix), query, 0, rules_->domain().sequence, seen_.data());
    const auto first = std::find(seen_.begin(), seen_.end(), 1);
    const auto last = std::find(seen_.rbegin(), seen_.rend(), 1);
    if (first == seen_.end()) return {0, 0};
    return {first - seen_.begin(), seen_.rend() - last};
  }

  void adjust(std::int64_t matrix, std::int64_t query, const KeyRange& range, double* scores) {
    const std::int64_t count = range.end - range.begin;
    score_.change(head(matrix), query, range.begin, count, scores);
    mask_.seen(head(matrix), query, range.begin, count, seen_.data());
    for (std::int64_t i = 0; i < count; ++i)
      if (seen_[static_cast<std::size_t>(i)] == 0) scores[i] = -std::numeric_limits<double>::infinity();
  }

 private:
  [[nodiscard]] std::int64_t head(std::int64_t matrix) const { return matrix % rules_->domain().heads; }

  const Rules* rules_;
  ExpressionRows<double> mask_;
  ExpressionRows<double> score_;
  std::vector<std::uint8_t> seen_;
};

class Masks final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "masks"; }
  [[nodiscard]] std::string_view summary() const override {
    return "attention with a mask and a score that the suite writes as expressions";
  }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of Q, K, V and O", {"f16", "bf16"}, {}, 1},
            {"b", ParamKind::integer, "batch", {}, {}, 1},
            {"h", ParamKind::integer, "heads", {}, {}, 1},
            {"s", ParamKind::integer, "sequence length: queries, and as many keys", {}, {}, 1},
            {"d", ParamKind::integer, "elements of one head", {}, {}, 1},
            {"mask",
             ParamKind::text,
             "whether query q sees key k: a condition, such as \"k <= q\"",
             {},
             {Value{std::string("true")}},
             1},
            {"score",
             ParamKind::text,
             "what becomes of a score: a number, such as \"20 * tanh(score / 20)\"",
             {},
             {Value{std::string("score")}},
             1},
            {"documents",
             ParamKind::integer,
             "documents in a sequence, for document()",
             {},
             {Value{std::int64_t{1}}},
             1}};
  }

  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;

  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    return {{"seen", "%", harness::sdk::Better::lower,
             "work of blocks that are not empty, of that of all blocks"}};
  }
  void report(const Params& params, std::span<const HostTensor>, std::span<const HostTensor>,
              MetricSink& sink) const override {
    sink.report("seen", 100 * seen_share(shape_of(params)));
  }
};

// Relative Frobenius error that a correct kernel stays under: as attention's. The hardware's tanh is right to
// 2^-11, which adds as much as an f16 weight's rounding.
Tolerance tolerance_of(const Shape& shape) {
  const double few = std::max(1.0, 12.0 / std::sqrt(static_cast<double>(shape.elements())));
  const double tanh = Expression::score(shape.score).uses(Op::tanh) ? 1.6 : 1.0;
  return {(shape.dtype == DType::f16 ? 5e-4 * tanh : 4e-3) * few};
}

// Work counts pairs in blocks of 128 x 128 that are not empty: a kernel that computes them all does executed
// work.
Problem Masks::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  kernels::require_possible_sequence(shape.sequence);
  Problem problem = kernels::attention_problem(shape, shape.dtype, seen_share(shape));
  problem.tolerance = tolerance_of(shape);
  return problem;
}

// As attention's: scores have variance 1, V is uniform on (-1, 1).
void Masks::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  (void)params;
  constexpr float unit_variance = 1.7320508F;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    kernels::fill_uniform(inputs[i], seed, i, i == v_index ? 1.0F : unit_variance);
}

void Masks::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                      std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("masks has one output, number 0");
  const Shape shape = shape_of(params);
  const Rules rules(shape);
  attention::answer_oracle({shape.sequence, shape.dimension}, inputs, wanted, expected,
                           [&] { return MaskOfOracle(rules); });
}

}  // namespace
}  // namespace masks

HARNESS_WORKLOAD(masks, masks::Masks)
