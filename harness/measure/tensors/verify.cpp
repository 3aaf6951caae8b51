#include "harness/measure/tensors/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "harness/base/text.h"
#include "harness/sdk/in_parts.h"

namespace harness {
namespace {

constexpr std::size_t suspects_checked = 64;

// Whether an element that holds nothing but 0xFF is a NaN.
bool poison_is_nan(sdk::DType type) {
  return !sdk::is_whole(type) && !sdk::is_packed(type);
}

bool holds_only(unsigned char byte, const sdk::HostTensor& tensor, std::int64_t index) {
  if (sdk::is_packed(tensor.spec.dtype)) {
    const unsigned half = index % 2 == 0 ? byte & 0xFU : byte >> 4;
    return sdk::load_half_byte(tensor.data.data(), index) == half;
  }
  const std::size_t size = sdk::size_of(tensor.spec.dtype);
  const std::byte* begin = tensor.data.data() + static_cast<std::size_t>(index) * size;
  return std::all_of(begin, begin + size, [byte](std::byte b) { return b == std::byte{byte}; });
}

bool holds_poison(const sdk::HostTensor& tensor, std::int64_t index) {
  return holds_only(poison, tensor, index);
}

// Elements that one thread looks at together. A constant, so that sums come out the same on any number of
// threads.
constexpr std::int64_t block = std::int64_t{1} << 16;

// of_block(first, last) for each block of [0, count), on threads; what it gives, in the order of the blocks.
template <class Value, class OfBlock>
std::vector<Value> by_blocks(std::int64_t count, const OfBlock& of_block) {
  std::vector<Value> values(static_cast<std::size_t>((count + block - 1) / block));
  sdk::in_parts(std::ssize(values), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      values[static_cast<std::size_t>(i)] = of_block(i * block, std::min((i + 1) * block, count));
  });
  return values;
}

template <class T>
T bits_at(const std::byte* data, std::int64_t index) {
  T bits;
  std::memcpy(&bits, data + index * std::ptrdiff_t{sizeof(T)}, sizeof(T));
  return bits;
}

// use(at), where at(index) is what HostTensor::at() gives, without looking at the type each time.
template <class Use>
void with_elements(const sdk::HostTensor& tensor, const Use& use) {
  const std::byte* const data = tensor.data.data();
  switch (tensor.spec.dtype) {
    case sdk::DType::f16:
      return use([data](std::int64_t i) {
        return static_cast<double>(sdk::float_from_f16(bits_at<std::uint16_t>(data, i)));
      });
    case sdk::DType::bf16:
      return use([data](std::int64_t i) {
        return static_cast<double>(sdk::float_from_bf16(bits_at<std::uint16_t>(data, i)));
      });
    case sdk::DType::f32:
      return use([data](std::int64_t i) { return static_cast<double>(bits_at<float>(data, i)); });
    default: return use([&tensor](std::int64_t i) { return tensor.at(i); });
  }
}

// Whether an exponent in [first, last) has all its bits set, as those of NaN and infinity have.
template <class Bits>
bool any_exponent_full(const std::byte* data, std::int64_t first, std::int64_t last, Bits exponent) {
  unsigned found = 0;
  for (std::int64_t i = first; i < last; ++i)
    found |= (bits_at<Bits>(data, i) & exponent) == exponent ? 1U : 0U;
  return found != 0;
}

bool all_finite(const sdk::HostTensor& tensor, std::int64_t first, std::int64_t last) {
  const std::byte* const data = tensor.data.data();
  switch (tensor.spec.dtype) {
    case sdk::DType::f16: return !any_exponent_full<std::uint16_t>(data, first, last, 0x7C00U);
    case sdk::DType::bf16: return !any_exponent_full<std::uint16_t>(data, first, last, 0x7F80U);
    case sdk::DType::f32: return !any_exponent_full<std::uint32_t>(data, first, last, 0x7F800000U);
    case sdk::DType::f64: return !any_exponent_full<std::uint64_t>(data, first, last, 0x7FF0000000000000U);
    case sdk::DType::e4m3: return !any_exponent_full<std::uint8_t>(data, first, last, 0x7FU);
    case sdk::DType::e5m2: return !any_exponent_full<std::uint8_t>(data, first, last, 0x7CU);
    default: return true;
  }
}

struct Scan {
  std::int64_t unwritten = 0;
  std::int64_t first_unwritten = -1;
  std::vector<std::int64_t> suspects;  // not finite or perhaps not written, at most suspects_checked
};

Scan scan_block(const sdk::HostTensor& output, std::int64_t first, std::int64_t last) {
  Scan found;
  if (all_finite(output, first, last)) return found;
  for (std::int64_t i = first; i < last; ++i) {
    if (std::isfinite(output.at(i))) continue;
    if (holds_poison(output, i)) {
      if (found.unwritten++ == 0) found.first_unwritten = i;
    } else if (found.suspects.size() < suspects_checked) {
      found.suspects.push_back(i);
    }
  }
  return found;
}

// Elements that hold nothing but `byte`.
Scan scan_for(unsigned char byte, const sdk::HostTensor& output, std::int64_t first, std::int64_t last) {
  Scan found;
  for (std::int64_t i = first; i < last && found.suspects.size() < suspects_checked; ++i)
    if (holds_only(byte, output, i)) found.suspects.push_back(i);
  return found;
}

// 0xFF is NaN in a floating type; elsewhere it may be a right value.
Scan scan(const sdk::HostTensor& output, unsigned char unwritten) {
  Scan all;
  const bool finds_nan = poison_is_nan(output.spec.dtype);
  if (!finds_nan && unwritten == poison) return all;
  for (const Scan& one : by_blocks<Scan>(output.spec.elements(), [&](std::int64_t first, std::int64_t last) {
         Scan found = finds_nan ? scan_block(output, first, last) : Scan{};
         if (unwritten == poison || !found.suspects.empty()) return found;
         found.suspects = scan_for(unwritten, output, first, last).suspects;
         return found;
       })) {
    if (all.unwritten == 0) all.first_unwritten = one.first_unwritten;
    all.unwritten += one.unwritten;
    for (const std::int64_t suspect : one.suspects)
      if (all.suspects.size() < suspects_checked) all.suspects.push_back(suspect);
  }
  return all;
}

// Difference of one element; 0 when both are the same infinity or both NaN.
double difference(double got, double expected) {
  const bool same = got == expected || (std::isnan(got) && std::isnan(expected));
  return same ? 0 : got - expected;
}

// The comparison of one output, element by element.
class Tally {
 public:
  // `least`: of the reference's root mean square.
  explicit Tally(double least = 0) : least_(least) {}
  void add(std::int64_t index, double got, double expected) {
    const double off = difference(got, expected);
    squares_ += off * off;
    if (std::isfinite(expected)) reference_squares_ += expected * expected;
    ++count_;
    if (!(std::abs(off) <= worst_)) {  // NaN is worse than anything
      worst_is_nan_ = std::isnan(off);
      worst_ = worst_is_nan_ ? HUGE_VAL : std::abs(off);
      worst_index_ = index;
      got_ = got;
      expected_ = expected;
    }
  }
  // Adds the counts of the following elements.
  void add(const Tally& next) {
    squares_ += next.squares_;
    reference_squares_ += next.reference_squares_;
    count_ += next.count_;
    if (!next.worst_is_nan_ && !(next.worst_ > worst_)) return;
    worst_ = next.worst_;
    worst_is_nan_ = next.worst_is_nan_;
    worst_index_ = next.worst_index_;
    got_ = next.got_;
    expected_ = next.expected_;
  }
  [[nodiscard]] double error() const {
    if (count_ == 0) return 0;
    const double squares = std::max(reference_squares_, least_ * least_ * static_cast<double>(count_));
    const double scale = squares > 0 ? squares : static_cast<double>(count_);
    return std::sqrt(squares_ / scale);
  }
  // The reference's, over the elements checked.
  [[nodiscard]] double root_mean_square() const {
    return count_ == 0 ? 0 : std::max(least_, std::sqrt(reference_squares_ / static_cast<double>(count_)));
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] std::int64_t worst_index() const { return worst_index_; }
  [[nodiscard]] double got() const { return got_; }
  [[nodiscard]] double expected() const { return expected_; }

 private:
  double least_;
  double squares_ = 0;
  double reference_squares_ = 0;
  std::int64_t count_ = 0;
  double worst_ = 0;
  bool worst_is_nan_ = false;
  std::int64_t worst_index_ = -1;
  double got_ = 0;
  double expected_ = 0;
};

// Values that are not finite do not count.
double root_mean_square(const Expected& expected) {
  Tally all;
  for (const double one : expected.values) all.add(0, one, one);
  return all.root_mean_square();
}

Tally tally_of(const sdk::HostTensor& output, const Expected& expected, double least) {
  Tally all(least);
  with_elements(output, [&](const auto& at) {
    const auto of_block = [&](std::int64_t first, std::int64_t last) {
      Tally one;
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        const std::int64_t index = expected.index(i);
        one.add(index, at(index), expected.values[i]);
      }
      return one;
    };
    for (const Tally& one : by_blocks<Tally>(std::ssize(expected.values), of_block)) all.add(one);
  });
  return all;
}

// The place of the first element that is off by far more than the tolerance allows on average, if any.
std::optional<std::size_t> outlying(const sdk::HostTensor& output, const Expected& expected,
                                    const Tally& tally, double tolerance) {
  const double rms = tally.root_mean_square();
  if (rms == 0 || tolerance == 0) return std::nullopt;  // the norm decides alone
  if (tally.worst() <= element_allowance * tolerance * rms) return std::nullopt;
  std::optional<std::size_t> found;
  with_elements(output, [&](const auto& at) {
    const auto of_block = [&](std::int64_t first, std::int64_t last) -> std::optional<std::size_t> {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        const double right = expected.values[i];
        const double allowed = element_allowance * tolerance * std::max(rms, std::abs(right));
        if (!(std::abs(difference(at(expected.index(i)), right)) <= allowed)) return i;
      }
      return std::nullopt;
    };
    for (const auto& one : by_blocks<std::optional<std::size_t>>(std::ssize(expected.values), of_block))
      if (one && !found) found = one;
  });
  return found;
}

Cause worst_of(const Tally& tally, const sdk::HostTensor& output, double tolerance) {
  const std::string where = position_in(tally.worst_index(), output.spec.shape);
  if (!std::isfinite(tally.got()) && std::isfinite(tally.expected()))
    // As text: JSON has neither NaN nor infinity.
    return {CauseCode::not_finite,
            {{"got", fmt::format("{}", tally.got())}, {"expected", tally.expected()}, {"at", where}}};
  return {CauseCode::wrong_values,
          {{"error", tally.error()},
           {"tolerance", tolerance},
           {"elements", tally.count()},
           {"got", tally.got()},
           {"expected", tally.expected()},
           {"at", where},
           {"unwritten", holds_poison(output, tally.worst_index())}}};
}

// Tells whether and why one output is wrong.
std::optional<Cause> judge(const Tally& tally, const Scan& found, const sdk::HostTensor& output,
                           const Expected& expected, double tolerance) {
  const sdk::TensorSpec& spec = output.spec;
  if (found.unwritten > 0)
    return Cause{CauseCode::not_written,
                 {{"elements", found.unwritten},
                  {"of", spec.elements()},
                  {"at", position_in(found.first_unwritten, spec.shape)}}};
  if (!(tally.error() <= tolerance)) return worst_of(tally, output, tolerance);
  const auto outlier = outlying(output, expected, tally, tolerance);
  if (!outlier) return std::nullopt;
  const std::int64_t index = expected.index(*outlier);
  return Cause{CauseCode::wrong_element,
               {{"got", output.at(index)},
                {"expected", expected.values[*outlier]},
                {"at", position_in(index, spec.shape)},
                {"error", tally.error()},
                {"tolerance", tolerance},
                {"elements", tally.count()},
                {"allowance", element_allowance}}};
}

}  // namespace

std::string position_in(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(shape[axis], 1);
    text = fmt::format("{}{}{}", index % extent, text.empty() ? "" : ", ", text);
    index /= extent;
  }
  return "[" + text + "]";
}

HeldBytes elements_holding(unsigned char byte, std::span<const sdk::HostTensor> outputs) {
  HeldBytes held(outputs.size());
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (poison_is_nan(outputs[o].spec.dtype)) continue;
    for (std::int64_t i = 0; i < outputs[o].spec.elements(); ++i)
      if (holds_only(byte, outputs[o], i)) held[o].push_back(i);
  }
  return held;
}

std::optional<Cause> never_written(const HeldBytes& before, unsigned char byte,
                                   std::span<const sdk::HostTensor> outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const sdk::TensorSpec& spec = outputs[o].spec;
    const auto still = [&](std::int64_t index) { return holds_only(byte, outputs[o], index); };
    const std::vector<std::int64_t>& held = before[o];
    const auto first = std::find_if(held.begin(), held.end(), still);
    if (first == held.end()) continue;
    return Cause{CauseCode::not_written,
                 {{"elements", std::count_if(first, held.end(), still)},
                  {"of", spec.elements()},
                  {"at", position_in(*first, spec.shape)},
                  {"output", printable(spec.name)}}};
  }
  return std::nullopt;
}

bool may_hold_poison(const sdk::Problem& problem) {
  return std::any_of(problem.tensors.begin(), problem.tensors.end(), [](const sdk::TensorSpec& tensor) {
    return tensor.role == sdk::Role::output && !poison_is_nan(tensor.dtype);
  });
}

Finding verify(const RightValues& right_values, const sdk::Problem& problem, const CaseInputs& inputs,
               std::span<const sdk::HostTensor> outputs, const Checking& how) {
  Finding finding;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Expected& expected = inputs.expected[o];
    Tally tally = tally_of(outputs[o], expected, how.usual ? root_mean_square(how.usual->expected[o]) : 0);
    Scan found = scan(outputs[o], how.unwritten);
    std::erase_if(found.suspects, [&](std::int64_t index) { return expected.contains(index); });
    std::vector<double> right(found.suspects.size());
    if (!right.empty()) right_values(o, found.suspects, right);
    for (std::size_t i = 0; i < right.size(); ++i)
      tally.add(found.suspects[i], outputs[o].at(found.suspects[i]), right[i]);
    finding.elements = std::max(finding.elements, tally.count());
    if (!(tally.error() <= finding.error)) finding.error = tally.error();
    std::optional<Cause> wrong =
        judge(tally, found, outputs[o], expected, problem.tolerance.relative * how.allowance);
    if (!wrong || finding.wrong) continue;
    finding.wrong = std::move(wrong);
    finding.wrong->figures.emplace_back("output", printable(outputs[o].spec.name));
  }
  return finding;
}

}  // namespace harness
