#include "harness/verdict/check/zeros.h"

#include <algorithm>
#include <numeric>

#include "harness/verdict/decide/evidence.h"

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

}  // namespace

bool holds_zeros(const SideReading& baseline, const SideReading& current) {
  return (baseline.zeros || current.zeros) && !baseline.unusable && !current.unusable &&
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
    row.reason = {ReasonCode::too_few_processes, {{"needed", least}}};
    return true;
  }
  const bool from_zero = before == row.baseline.process_values.size() && after == 0;
  const bool to_zero = after == row.current.process_values.size() && before == 0;
  if (from_zero || to_zero) {
    const bool worse = from_zero == (row.direction == Direction::lower_is_better);
    row.verdict = worse ? Verdict::regressed : Verdict::improved;
    row.reason.code = worse ? ReasonCode::worse_than_any_margin : ReasonCode::better_than_any_margin;
    return true;
  }
  row.reason.code = ReasonCode::zeros_vary;
  return true;
}

}  // namespace harness
