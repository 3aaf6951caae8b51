#include "harness/stats/series/trend.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "harness/stats/estimate/estimator.h"

namespace harness::stats {
namespace {

constexpr std::size_t most_for_exact_kendall = 50;

// Pairs i < j with values[i] > values[j], by merging; sorts `values`, with `spare` of the same size.
double sort_and_count_inversions(std::span<double> values, std::span<double> spare) {
  double inversions = 0;
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t start = 0; start < values.size(); start += 2 * width) {
      const std::size_t middle = std::min(start + width, values.size());
      const std::size_t end = std::min(start + 2 * width, values.size());
      std::size_t left = start, right = middle;
      for (std::size_t to = start; to < end; ++to) {
        const bool take_left = left < middle && (right == end || values[left] <= values[right]);
        if (!take_left) inversions += static_cast<double>(middle - left);
        spare[to] = take_left ? values[left++] : values[right++];
      }
    }
    std::copy(spare.begin(), spare.end(), values.begin());
  }
  return inversions;
}

// P(inversions <= bound) over the permutations of `count` things: the i-th thing that is put in its
// place adds 0 to i - 1 inversions, each equally likely (Knuth, vol. 3, 5.1.1).
double inversions_at_most(std::size_t count, std::size_t bound) {
  std::vector<double> probability{1};
  for (std::size_t choices = 2; choices <= count; ++choices) {
    std::vector<double> next(probability.size() + choices - 1, 0.0);
    for (std::size_t i = 0; i < probability.size(); ++i)
      for (std::size_t more = 0; more < choices; ++more)
        next[i + more] += probability[i] / static_cast<double>(choices);
    probability = std::move(next);
  }
  double sum = 0;
  for (std::size_t i = 0; i <= bound && i < probability.size(); ++i) sum += probability[i];
  return std::min(1.0, sum);
}

void set_normal(MannKendall& test, double count, double tied_variance) {
  const double sd = std::sqrt((count * (count - 1) * (2 * count + 5) - tied_variance) / 18);
  const auto tail = [&](double distance) { return 0.5 * std::erfc(distance / sd / std::numbers::sqrt2); };
  test.p_rise = tail(test.s - 1);
  test.p_fall = tail(-test.s - 1);
}

}  // namespace

std::optional<TTest> drift(std::span<const double> values) {
  if (values.size() < 3) return std::nullopt;
  const double count = static_cast<double>(values.size()), middle = (count - 1) / 2, center = mean(values);
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    products += (static_cast<double>(i) - middle) * (values[i] - center);
  const double squares = count * (count * count - 1) / 12;
  TTest test;
  test.difference = products / squares;
  test.degrees_of_freedom = count - 2;
  double residuals = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double residual = values[i] - center - test.difference * (static_cast<double>(i) - middle);
    residuals += residual * residual;
  }
  test.standard_error = std::sqrt(residuals / test.degrees_of_freedom / squares);
  if (!std::isfinite(test.difference) || !std::isfinite(test.standard_error)) return std::nullopt;
  return test;
}

std::optional<MannKendall> mann_kendall(std::span<const double> values) {
  if (values.size() < 3 || std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }))
    return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end()), spare(values.size());
  const double inversions = sort_and_count_inversions(sorted, spare);
  double tied_pairs = 0, tied_variance = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t from = i;
    while (i < sorted.size() && sorted[i] == sorted[from]) ++i;
    const double ties = static_cast<double>(i - from);
    tied_pairs += ties * (ties - 1) / 2;
    tied_variance += ties * (ties - 1) * (2 * ties + 5);
  }
  const double count = static_cast<double>(values.size()), pairs = count * (count - 1) / 2;
  if (tied_pairs == pairs) return std::nullopt;
  MannKendall test;
  test.s = pairs - tied_pairs - 2 * inversions;
  test.tau = test.s / pairs;
  if (tied_pairs == 0 && values.size() <= most_for_exact_kendall) {
    test.p_rise = inversions_at_most(values.size(), static_cast<std::size_t>(inversions));
    test.p_fall = inversions_at_most(values.size(), static_cast<std::size_t>(pairs - inversions));
  } else {
    set_normal(test, count, tied_variance);
  }
  test.p = std::min(1.0, 2 * std::min(test.p_rise, test.p_fall));
  return test;
}

}  // namespace harness::stats
