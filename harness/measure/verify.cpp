#include "harness/measure/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr std::size_t suspects_checked = 64;

bool is_float(sdk::DType type) {
  return type != sdk::DType::i32 && type != sdk::DType::i8;
}

// "[3, 17]": where a flat row-major index is.
std::string position(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(shape[axis], 1);
    text = fmt::format("{}{}{}", index % extent, text.empty() ? "" : ", ", text);
    index /= extent;
  }
  return "[" + text + "]";
}

bool holds_poison(const sdk::HostTensor& tensor, std::int64_t index) {
  const std::size_t size = sdk::size_of(tensor.spec.dtype);
  const std::byte* begin = tensor.data.data() + static_cast<std::size_t>(index) * size;
  return std::all_of(begin, begin + size, [](std::byte b) { return b == std::byte{poison}; });
}

struct Scan {
  std::int64_t unwritten = 0;
  std::int64_t first_unwritten = -1;
  std::vector<std::int64_t> suspects;  // not finite, at most suspects_checked
};

Scan scan(const sdk::HostTensor& output) {
  Scan found;
  if (!is_float(output.spec.dtype)) return found;
  for (std::int64_t i = 0; i < output.spec.elements(); ++i) {
    if (std::isfinite(output.at(i))) continue;
    if (holds_poison(output, i)) {
      if (found.unwritten++ == 0) found.first_unwritten = i;
    } else if (found.suspects.size() < suspects_checked) {
      found.suspects.push_back(i);
    }
  }
  return found;
}

// Difference of one element; 0 when both are the same infinity or both NaN.
double difference(double got, double expected) {
  const bool same = got == expected || (std::isnan(got) && std::isnan(expected));
  return same ? 0 : got - expected;
}

// The comparison of one output, element by element.
class Tally {
 public:
  void add(std::int64_t index, double got, double expected) {
    const double off = difference(got, expected);
    squares_ += off * off;
    if (std::isfinite(expected)) reference_squares_ += expected * expected;
    ++count_;
    if (!(std::abs(off) <= worst_)) {  // NaN is worse than anything
      worst_ = std::isnan(off) ? HUGE_VAL : std::abs(off);
      worst_index_ = index;
      got_ = got;
      expected_ = expected;
    }
  }
  [[nodiscard]] double error() const {
    if (count_ == 0) return 0;
    const double scale = reference_squares_ > 0 ? reference_squares_ : static_cast<double>(count_);
    return std::sqrt(squares_ / scale);
  }
  // Of the reference, over the elements checked.
  [[nodiscard]] double root_mean_square() const {
    return count_ == 0 ? 0 : std::sqrt(reference_squares_ / static_cast<double>(count_));
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] std::int64_t worst_index() const { return worst_index_; }
  [[nodiscard]] double got() const { return got_; }
  [[nodiscard]] double expected() const { return expected_; }

 private:
  double squares_ = 0;
  double reference_squares_ = 0;
  std::int64_t count_ = 0;
  double worst_ = 0;
  std::int64_t worst_index_ = -1;
  double got_ = 0;
  double expected_ = 0;
};

// The first element that is off by far more than the tolerance allows on average, if any.
std::optional<std::size_t> outlying(const sdk::HostTensor& output, const Expected& expected, double rms,
                                    double tolerance) {
  if (rms == 0 || tolerance == 0) return std::nullopt;  // the norm decides alone
  for (std::size_t i = 0; i < expected.indices.size(); ++i) {
    const double right = expected.values[i];
    const double allowed = element_allowance * tolerance * std::max(rms, std::abs(right));
    if (!(std::abs(difference(output.at(expected.indices[i]), right)) <= allowed)) return i;
  }
  return std::nullopt;
}

std::string explain(const Tally& tally, const sdk::HostTensor& output, double tolerance) {
  const std::string where = position(tally.worst_index(), output.spec.shape);
  if (!std::isfinite(tally.got()) && std::isfinite(tally.expected()))
    return fmt::format("is not finite at {}: got {}, expected {:.6g}", where, tally.got(), tally.expected());
  std::string text = fmt::format(
      "is wrong: relative error {:.3g} exceeds {:g} over {} elements; worst at {}: got {:.6g}, expected "
      "{:.6g}",
      tally.error(), tolerance, tally.count(), where, tally.got(), tally.expected());
  if (holds_poison(output, tally.worst_index()))
    text += " (the value put there before the call: it was never written)";
  return text;
}

// What is wrong with one output, or "".
std::string judge(const Tally& tally, const Scan& found, const sdk::HostTensor& output,
                  const Expected& expected, double tolerance) {
  const sdk::TensorSpec& spec = output.spec;
  if (found.unwritten > 0)
    return fmt::format("was not written in {} of {} elements, the first at {}", found.unwritten,
                       spec.elements(), position(found.first_unwritten, spec.shape));
  if (!(tally.error() <= tolerance)) return explain(tally, output, tolerance);
  const auto outlier = outlying(output, expected, tally.root_mean_square(), tolerance);
  if (!outlier) return {};
  const std::int64_t index = expected.indices[*outlier];
  return fmt::format(
      "is wrong at {}: got {:.6g}, expected {:.6g} (the relative error over {} elements, {:.3g}, is "
      "within {:g}, but no element may be off by {:g} times that)",
      position(index, spec.shape), output.at(index), expected.values[*outlier], tally.count(), tally.error(),
      tolerance, element_allowance);
}

}  // namespace

Finding verify(const sdk::Workload& workload, const sdk::Params& params, const sdk::Problem& problem,
               const CaseInputs& inputs, std::span<const sdk::HostTensor> outputs) {
  Finding finding;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Expected& expected = inputs.expected[o];
    Tally tally;
    for (std::size_t i = 0; i < expected.indices.size(); ++i)
      tally.add(expected.indices[i], outputs[o].at(expected.indices[i]), expected.values[i]);
    const Scan found = scan(outputs[o]);
    std::vector<double> right(found.suspects.size());
    if (!right.empty()) workload.reference(params, inputs.inputs, o, found.suspects, right);
    for (std::size_t i = 0; i < right.size(); ++i)
      if (!std::binary_search(expected.indices.begin(), expected.indices.end(), found.suspects[i]))
        tally.add(found.suspects[i], outputs[o].at(found.suspects[i]), right[i]);
    finding.elements = std::max(finding.elements, tally.count());
    if (!(tally.error() <= finding.error)) finding.error = tally.error();
    const std::string wrong = judge(tally, found, outputs[o], expected, problem.tolerance.relative);
    if (!wrong.empty() && finding.wrong.empty())
      finding.wrong = fmt::format("output `{}` {}", printable(outputs[o].spec.name), wrong);
  }
  return finding;
}

}  // namespace harness
