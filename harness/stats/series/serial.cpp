#include "harness/stats/series/serial.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

#include "harness/stats/estimate/estimator.h"

namespace harness::stats {
namespace {

constexpr std::size_t most_for_exact_runs = 1000;

double log_choose(std::size_t from, std::size_t take) {
  // Not std::lgamma, which writes a global.
  const auto log_factorial = [](std::size_t n) { return boost::math::lgamma(static_cast<double>(n) + 1); };
  return log_factorial(from) - log_factorial(take) - log_factorial(from - take);
}

// Log of the number of ways to part `count` things, in their order, into `parts` runs.
double log_partings(std::size_t count, std::size_t parts) {
  return log_choose(count - 1, parts - 1);
}

// P(runs) when every order of `above` and `below` things is equally likely; both 1 or more.
double runs_probability(std::size_t runs, std::size_t above, std::size_t below) {
  const double all = log_choose(above + below, above);
  const std::size_t fewer = runs / 2, more = runs - fewer;  // runs of one side and of the other
  const auto ways = [&](std::size_t of_above, std::size_t of_below) {
    if (of_above < 1 || of_below < 1 || of_above > above || of_below > below) return 0.0;
    return std::exp(log_partings(above, of_above) + log_partings(below, of_below) - all);
  };
  return ways(fewer, more) + ways(more, fewer);
}

void set_exact(RunsTest& test) {
  double fewer = 0, more = 0;
  const std::size_t most = 2 * std::min(test.above, test.below) + 1;
  for (std::size_t runs = 2; runs <= most; ++runs) {
    const double probability = runs_probability(runs, test.above, test.below);
    if (runs <= test.runs) fewer += probability;
    if (runs >= test.runs) more += probability;
  }
  test.p_few = std::min(1.0, fewer);
  test.p_many = std::min(1.0, more);
}

void set_normal(RunsTest& test) {
  const double product = 2 * static_cast<double>(test.above) * static_cast<double>(test.below);
  const double count = static_cast<double>(test.above + test.below);
  const double sd = std::sqrt(product / count * ((product - count) / count) / (count - 1));
  const auto tail = [&](double distance) { return 0.5 * std::erfc(distance / sd / std::numbers::sqrt2); };
  const double excess = static_cast<double>(test.runs) - test.expected;
  test.p_few = tail(-excess - 0.5);
  test.p_many = tail(excess - 0.5);
}

}  // namespace

std::optional<double> autocorrelation(std::span<const double> values, std::size_t lag) {
  if (lag >= values.size()) return std::nullopt;
  const double center = mean(values);
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double here = values[i] - center;
    squares += here * here;
    if (i >= lag) products += here * (values[i - lag] - center);
  }
  if (!std::isfinite(squares) || !(squares > 0)) return std::nullopt;
  return products / squares;
}

std::optional<RunsTest> runs_test(std::span<const double> values) {
  const double center = median(values);
  if (std::isnan(center)) return std::nullopt;
  RunsTest test;
  bool was_above = false;
  for (const double value : values) {
    if (value == center) continue;
    const bool is_above = value > center;
    if (test.runs == 0 || is_above != was_above) ++test.runs;
    ++(is_above ? test.above : test.below);
    was_above = is_above;
  }
  if (test.runs == 0) return std::nullopt;
  const double count = static_cast<double>(test.above + test.below);
  test.expected = 1 + 2 * (static_cast<double>(test.above) / count) * static_cast<double>(test.below);
  if (test.above == 0 || test.below == 0) return test;  // one run is certain then
  if (test.above + test.below <= most_for_exact_runs)
    set_exact(test);
  else
    set_normal(test);
  test.p = std::min(1.0, 2 * std::min(test.p_few, test.p_many));
  return test;
}

}  // namespace harness::stats
