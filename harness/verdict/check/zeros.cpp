#include "harness/verdict/check/zeros.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "harness/base/units.h"
#include "harness/verdict/decide/judge.h"

namespace harness {
namespace {

std::size_t count_zeros(const Side& side) {
  return static_cast<std::size_t>(std::count(side.process_values.begin(), side.process_values.end(), 0.0));
}

// A side some processes of which are 0: it has no geometric mean.
Side side_with_zeros(const SideReading& reading) {
  Side side = side_of(reading);
  if (count_zeros(side) == 0) return side;
  side.center = std::reduce(side.process_values.begin(), side.process_values.end()) /
                static_cast<double>(side.process_values.size());
  side.process_sd = 0;
  return side;
}

// "0 in all 5 processes", "0 in 2 of 5 processes", "0.11 to 0.15 in 5 processes".
std::string values_text(const Side& side, const std::string& unit) {
  const std::size_t zeros = count_zeros(side), all = side.process_values.size();
  if (zeros == all) return fmt::format("0{} in all {} processes", after_number(unit), all);
  if (zeros > 0) return fmt::format("0{} in {} of {} processes", after_number(unit), zeros, all);
  const auto [least, most] = std::minmax_element(side.process_values.begin(), side.process_values.end());
  return fmt::format("{:.4g} to {:.4g}{} in {} processes", *least, *most, after_number(unit), all);
}

std::string both_texts(const ComparisonRow& row) {
  return fmt::format("{} of the baseline, {} of the current side", values_text(row.baseline, row.unit),
                     values_text(row.current, row.unit));
}

}  // namespace

bool holds_zeros(const SideReading& baseline, const SideReading& current) {
  return (baseline.zeros || current.zeros) && baseline.unusable.empty() && current.unusable.empty() &&
         baseline.with_samples > 0 && current.with_samples > 0;
}

bool judge_zeros(ComparisonRow& row, const Series& old, const Series& now, SideReading& baseline,
                 SideReading& current, const Policy& policy) {
  baseline = with_plain_means(std::move(baseline), old);
  current = with_plain_means(std::move(current), now);
  row.baseline = side_with_zeros(baseline);
  row.current = side_with_zeros(current);
  const std::size_t before = count_zeros(row.baseline), after = count_zeros(row.current);
  if (before == 0 && after == 0) return false;
  const int least = least_processes(policy);
  row.verdict = Verdict::inconclusive;
  if (std::min(row.baseline.processes, row.current.processes) < least) {
    row.processes_needed = least;
    row.remedy = Remedy::more_processes;
    row.reason = too_few_processes(row.baseline.processes, row.current.processes, least);
    return true;
  }
  const bool from_zero = before == row.baseline.process_values.size() && after == 0;
  const bool to_zero = after == row.current.process_values.size() && before == 0;
  if (from_zero || to_zero) {
    const bool worse = from_zero == (row.direction == Direction::lower_is_better);
    row.verdict = worse ? Verdict::regressed : Verdict::improved;
    row.reason = fmt::format("{} than the baseline by more than any margin: {}", worse ? "worse" : "better",
                             both_texts(row));
    return true;
  }
  row.reason = fmt::format("there is no ratio to compare: {}", both_texts(row));
  row.advice.emplace_back(
      "where 0 comes and goes between processes, neither equality nor a ratio can be judged: report a value "
      "that is never 0 (a sum over more work), fix the seed so that it does not vary, or make the metric "
      "`informative`");
  return true;
}

}  // namespace harness
