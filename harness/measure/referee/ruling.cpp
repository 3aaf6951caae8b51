#include "harness/measure/referee/ruling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/measure/case/microseconds.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/paired.h"

namespace harness::referee {
namespace {

// Context switches vary by 1 to 3 us, so that a span of this length tells its slope to about 0.1 %.
constexpr Seconds wanted_span = 4e-3;
constexpr Seconds most_drawing = 1;  // for one round
constexpr int usual_longer = 4;
constexpr int share_of_shorter = 8;

struct Slopes {
  std::vector<double> baseline, current;
};

Slopes slopes_of(std::span<const RoundTimes> rounds, const BatchLengths& lengths) {
  Slopes slopes;
  for (const RoundTimes& one : rounds) {
    slopes.baseline.push_back(slope(one.baseline_shorter, one.baseline_longer, lengths));
    slopes.current.push_back(slope(one.current_shorter, one.current_longer, lengths));
  }
  return slopes;
}

std::vector<double> log_ratios(const Slopes& slopes) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < slopes.baseline.size(); ++i)
    logs.push_back(std::log(slopes.current[i] / slopes.baseline[i]));  // NaN where one is not positive
  return logs;
}

}  // namespace

Seconds slope(Seconds shorter, Seconds longer, const BatchLengths& lengths) {
  return (longer - shorter) / (lengths.longer - lengths.shorter);
}

std::optional<stats::TTest> test_rounds(std::span<const RoundTimes> rounds, const BatchLengths& lengths,
                                        int pairs) {
  const Slopes slopes = slopes_of(rounds, lengths);
  const auto positive = [](double one) { return one > 0 && std::isfinite(one); };
  if (rounds.empty() || !std::all_of(slopes.baseline.begin(), slopes.baseline.end(), positive) ||
      !std::all_of(slopes.current.begin(), slopes.current.end(), positive))
    return std::nullopt;
  const double of_process = process_sd / stats::mean(slopes.baseline);
  const double known = (of_process * of_process + address_sd * address_sd) / std::max(pairs, 1);
  return stats::one_sample(log_ratios(slopes), known);
}

Ruling ruling_of(const stats::TTest& test, const Judging& how) {
  const double alpha = (1 - how.confidence) / 2;
  const double margin = std::log1p(how.margin);
  if (test.p_below(-margin) < alpha) return Ruling::faster;
  if (test.p_above(margin) < alpha) return Ruling::slower;
  if (how.asks_faster) return test.p_above(-margin) < alpha ? Ruling::not_faster : Ruling::undecided;
  return test.p_below(margin) < alpha ? Ruling::not_slower : Ruling::undecided;
}

void rule(RefereedCase& result, std::span<const RoundTimes> rounds, const BatchLengths& lengths, int pairs,
          const Judging& how) {
  result.rounds = static_cast<int>(rounds.size());
  result.processes = pairs;
  result.calls = {lengths.shorter, lengths.longer};
  result.ruling = Ruling::undecided;
  const std::optional<stats::TTest> test = test_rounds(rounds, lengths, pairs);
  if (!test) return;
  const Slopes slopes = slopes_of(rounds, lengths);
  const stats::Bounds bounds = test->interval(how.confidence);
  result.baseline_us = to_microseconds(stats::mean(slopes.baseline));
  result.current_us = to_microseconds(stats::mean(slopes.current));
  result.ratio = std::exp(test->difference);
  result.lo = std::exp(bounds.lo);
  result.hi = std::exp(bounds.hi);
  result.round_sd = stats::standard_deviation(log_ratios(slopes));
  result.ruling = ruling_of(*test, how);
}

int choose_rounds(const BatchLengths& lengths, Seconds drawing) {
  constexpr Seconds most_in_all = 60;
  const double rounds = most_in_all / std::max(drawing * (lengths.shorter + lengths.longer), 1e-9);
  return rounds < most_rounds ? std::max(least_rounds, static_cast<int>(rounds)) : most_rounds;
}

int choose_pairs(Seconds call) {
  constexpr double wanted = 0.002;
  constexpr int most = 4;
  const double pairs = std::pow(process_sd / (wanted * std::max(call, 1e-9)), 2);
  return pairs < most ? std::max(1, static_cast<int>(std::ceil(pairs))) : most;
}

BatchLengths choose_lengths(const BatchLimits& limits) {
  const auto at_most = [](double wanted, int least, int most) {
    if (!(wanted < most)) return most;
    return std::max(least, static_cast<int>(wanted));
  };
  const int sets = std::max(limits.most_sets, 2);
  int longer =
      at_most(std::ceil(wanted_span / std::max(limits.call, 1e-9)), std::min(usual_longer, sets), sets);
  if (limits.drawing > 0)
    longer = std::min(longer, at_most(most_drawing / limits.drawing, std::min(usual_longer, sets), sets));
  // A round is two batches of each build.
  const double of_budget = limits.budget / (2.5 * least_rounds * std::max(limits.call, 1e-9));
  longer = std::min(longer, at_most(of_budget, 2, sets));
  return {std::max(1, longer / share_of_shorter), longer};
}

}  // namespace harness::referee
