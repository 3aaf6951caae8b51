#include "harness/verdict/alone.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/hypothesis/t_test.h"

namespace harness {
namespace {

constexpr double differing_alpha = 0.01;  // two-sided
constexpr double suspicious_errors = 2;   // standard errors

struct VarianceOfDifference {
  double value = 0;  // of the mean
  double squares_over_freedom = 0;

  void add(double of_mean, double freedom) {
    value += of_mean;
    if (freedom > 0) squares_over_freedom += of_mean * of_mean / freedom;
  }
};

}  // namespace

std::optional<AloneCheck> check_alone(std::span<const double> ratios,
                                      const std::pair<SideReading, SideReading>& shared,
                                      const std::pair<SideReading, SideReading>& alone, double margin,
                                      int least) {
  const stats::Moments &before = alone.first.moments, &after = alone.second.moments;
  if (ratios.empty() || before.count == 0 || after.count == 0) return std::nullopt;
  const stats::Moments together = stats::moments(ratios);
  AloneCheck check;
  check.together = together.mean;
  check.alone = after.mean - before.mean;
  const std::size_t fewest = std::min(before.count, after.count);
  check.processes = static_cast<int>(fewest);
  check.enough = check.processes >= least;
  const double difference = std::abs(check.alone - check.together);
  if (!std::isfinite(difference) || difference <= margin) return check;
  VarianceOfDifference variance;
  const auto count = [](const stats::Moments& one) { return static_cast<double>(one.count); };
  if (together.count > 1) variance.add(together.variance / count(together), count(together) - 1);
  if (!check.enough) {
    const auto add = [&](const stats::Moments& many, const stats::Moments& few) {
      variance.add(std::min(many.variance, first_spread * first_spread) / count(few), 0);
    };
    add(shared.first.moments, before);
    add(shared.second.moments, after);
    check.differs = difference > suspicious_errors * std::sqrt(variance.value);
    return check;
  }
  for (const stats::Moments* one : {&before, &after})
    variance.add(std::min(one->variance, most_spread * most_spread) / count(*one), count(*one) - 1);
  if (variance.value == 0) {
    check.differs = true;
    return check;
  }
  const double freedom = variance.value * variance.value / variance.squares_over_freedom;
  const double t = difference / std::sqrt(variance.value);
  check.differs = 2 * stats::students_t_tail(freedom, t) < differing_alpha;
  return check;
}

bool is_judged_alone(const ComparisonRow& row) {
  return std::any_of(row.diagnostics.begin(), row.diagnostics.end(),
                     [](const Diagnostic& one) { return one.code == DiagnosticCode::judged_alone; });
}

}  // namespace harness
