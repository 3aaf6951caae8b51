#include "harness/verdict/check/exact.h"

#include <algorithm>
#include <cmath>

#include "harness/base/units.h"
#include "harness/verdict/decide/evidence.h"

namespace harness {
namespace {

// Rounding in log1p and exp, for a value that lies on the margin.
constexpr double rounding = 1e-12;

Side constant_side(const SideReading& reading) {
  Side side;
  side.processes = static_cast<int>(reading.with_samples);
  side.center = *reading.constant;
  side.process_values.assign(reading.with_samples, *reading.constant);
  return side;
}

// Log of current over baseline, positive where that is worse; infinite from or to 0.
double harm_of(const ComparisonRow& row, double before, double after) {
  if (before == after) return 0;
  const double change = std::log(after) - std::log(before);  // log 0 is -infinity
  return row.direction == Direction::lower_is_better ? change : -change;
}

}  // namespace

bool is_exact(const ComparisonRow& row, const SideReading& baseline, const SideReading& current) {
  const auto usable = [](const SideReading& reading) {
    return reading.constant && std::isfinite(*reading.constant) && *reading.constant >= 0;
  };
  return usable(baseline) && usable(current) && seconds_per_unit(row.unit) == 0;
}

void judge_exactly(ComparisonRow& row, const SideReading& baseline, const SideReading& current,
                   const Policy& policy) {
  row.exact = true;
  row.baseline = constant_side(baseline);
  row.current = constant_side(current);
  const double before = *baseline.constant, after = *current.constant;
  if (before == after)
    row.ratio = 1;
  else if (before > 0 && after > 0)
    row.ratio = after / before;
  if (row.ratio > 0) row.interval = Interval{row.ratio, row.ratio};
  const int fewest = std::min(row.baseline.processes, row.current.processes);
  const int least = least_processes(policy);
  if (fewest < least) {
    row.verdict = Verdict::inconclusive;
    row.processes_needed = least;
    row.reason = {ReasonCode::too_few_processes, {{"needed", least}}};
    return;
  }
  row.minimum_detectable = row.margin;
  const double harm = harm_of(row, before, after);
  const double margin = row.margin == 0 ? 0 : std::log1p(row.margin) + rounding;
  row.verdict = harm > margin ? Verdict::regressed : harm < -margin ? Verdict::improved : Verdict::unchanged;
  row.reason.code = reason_of(row.verdict);
}

}  // namespace harness
