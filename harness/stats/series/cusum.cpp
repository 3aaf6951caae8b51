#include "harness/stats/series/cusum.h"

#include <algorithm>
#include <cmath>

namespace harness::stats {
namespace {

double one_sided_run_length(double drift, double decision) {
  const double bound = decision + 1.166;
  // exp(-x) + x - 1 over 2 drift^2, which tends to bound^2 as drift and so x = 2 drift bound vanish.
  const double x = 2 * drift * bound;
  if (std::abs(x) < 1e-5) return bound * bound * (1 - x / 3);
  return (std::expm1(-x) + x) / (2 * drift * drift);
}

}  // namespace

std::optional<Cusum> cusum(std::span<const double> values, double target, double sd, const CusumRule& rule) {
  if (!(sd > 0) || !std::isfinite(sd) || !std::isfinite(target)) return std::nullopt;
  if (!(rule.reference >= 0) || !(rule.decision >= 0)) return std::nullopt;
  Cusum result;
  std::size_t upper_started = 0, lower_started = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = (values[i] - target) / sd;
    if (std::isnan(z)) return std::nullopt;
    if (result.upper == 0) upper_started = i;
    if (result.lower == 0) lower_started = i;
    result.upper = std::max(0.0, z - rule.reference + result.upper);
    result.lower = std::max(0.0, -z - rule.reference + result.lower);
    if (result.upper > rule.decision)
      result.alarm = CusumAlarm{i, upper_started, CusumSide::up};
    else if (result.lower > rule.decision)
      result.alarm = CusumAlarm{i, lower_started, CusumSide::down};
    if (result.alarm) break;
  }
  return result;
}

double cusum_run_length(const CusumRule& rule, double shift) {
  const double up = one_sided_run_length(shift - rule.reference, rule.decision);
  const double down = one_sided_run_length(-shift - rule.reference, rule.decision);
  return 1 / (1 / up + 1 / down);
}

double cusum_decision(double reference, double run_length) {
  const auto enough = [&](double decision) { return cusum_run_length({reference, decision}) >= run_length; };
  if (enough(0)) return 0;
  double low = 0, high = 1;
  while (!enough(high) && high < 1e6) high *= 2;
  for (int i = 0; i < 80; ++i) {
    const double middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace harness::stats
