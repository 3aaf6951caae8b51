#include "harness/verdict/decide/slow_calls.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/hypothesis/contrast.h"

namespace harness {
namespace {

constexpr double least_excess = 0.01;  // log; what single calls add to a mean by chance

double mean_of(const std::vector<double>& values) {
  return stats::moments(values).mean;
}

// The mean arcsine of shares, with a variance of at least that of counting.
stats::Estimate shares_of(const SideReading& reading) {
  std::vector<double> angles;
  angles.reserve(reading.slow_shares.size());
  for (const double share : reading.slow_shares) angles.push_back(std::asin(std::sqrt(share)));
  stats::Estimate estimate = stats::estimate_of(stats::moments(angles));
  const double samples = static_cast<double>(reading.samples) / estimate.count;
  estimate.variance = std::max(estimate.variance, 1 / (4 * samples));
  return estimate;
}

// By how much the mean of all calls of each process exceeds its trimmed mean: the logs' difference.
std::vector<double> excesses_of(const SideReading& reading) {
  std::vector<double> excesses;
  for (std::size_t i = 0; i < reading.log_means.size(); ++i)
    excesses.push_back(reading.log_means[i] - reading.log_values[i]);
  return excesses;
}

// Whether the current side's slow calls are beyond those of the baseline: in its processes on average slower
// than in the worst of the baseline's, or a larger share of all.
bool are_beyond(const SideReading& baseline, const SideReading& current) {
  const std::vector<double> before = excesses_of(baseline);
  if (mean_of(excesses_of(current)) >
      std::max(*std::max_element(before.begin(), before.end()), 0.0) + least_excess)
    return true;
  const stats::Contrast shares = stats::contrast(shares_of(baseline), shares_of(current));
  return stats::test_of(shares).p_above(0) < open_alpha;
}

}  // namespace

std::optional<SlowCalls> judge_slow_calls(const SideReading& baseline, const SideReading& current,
                                          double log_margin, double known_variance) {
  if (baseline.slow_shares.size() < 2 || current.slow_shares.size() < 2) return std::nullopt;
  const double before = mean_of(baseline.slow_shares), after = mean_of(current.slow_shares);
  double p_share = 1;
  if (after - before >= least_share_rise)
    p_share = stats::test_of(stats::contrast(shares_of(baseline), shares_of(current))).p_above(0);
  stats::Contrast means = stats::contrast(stats::estimate_of(stats::moments(baseline.log_means)),
                                          stats::estimate_of(stats::moments(current.log_means)));
  means.known = known_variance;
  const double allowed = log_margin + std::log1p(least_mean_rise);
  const stats::TTest mean = stats::test_of(means);
  const double p_mean = mean.p_above(allowed);
  SlowCalls found;
  found.p = std::min(1.0, 2 * std::min(p_share, p_mean));
  if (after - before >= least_share_rise)
    found.reason = {ReasonCode::slow_calls, {{"baseline", before}, {"current", after}}};
  else
    found.reason = {ReasonCode::slow_mean,
                    {{"change", std::expm1(means.difference)}, {"baseline", before}, {"current", after}}};
  if (mean.p_below(allowed) >= open_alpha && are_beyond(baseline, current))
    found.open = Reason{ReasonCode::slow_open,
                        {{"change", std::expm1(means.difference)},
                         {"upper", std::expm1(mean.interval(1 - 2 * open_alpha).hi)},
                         {"baseline", before},
                         {"current", after}}};
  return found;
}

}  // namespace harness
