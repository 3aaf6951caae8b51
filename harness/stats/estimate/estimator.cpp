#include "harness/stats/estimate/estimator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "harness/stats/constants.h"

namespace harness::stats {
namespace {

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

// Where a type-7 quantile lies: between order statistics `below` and `below + 1`.
struct Position {
  std::size_t below;
  double weight;  // of the upper one
};

Position position_of(double fraction, std::size_t count) {
  const double at = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(count - 1);
  const auto below = std::min(static_cast<std::size_t>(at), count - 1);
  return {below, at - static_cast<double>(below)};
}

double interpolate(double below, double above, double weight) {
  // Equal neighbours, infinite ones too, need no arithmetic that could turn them into NaN.
  return weight == 0 || below == above ? below : below + weight * (above - below);
}

// Puts the order statistic `position.below` in its place within [from, end) and reads the quantile;
// everything before it is then no greater, everything after no less.
double select_quantile(std::span<double> values, std::size_t from, Position position) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(position.below);
  if (position.below >= from)
    std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(from), at, values.end());
  if (position.weight == 0 || at + 1 == values.end()) return *at;
  return interpolate(*at, *std::min_element(at + 1, values.end()), position.weight);
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return not_a_number;
  const double count = static_cast<double>(values.size());
  const double first = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (!std::isfinite(first)) return first;
  // A second pass over the residuals takes out the rounding of the first (Chan, Golub, LeVeque 1983).
  double residual = 0;
  for (const double value : values) residual += value - first;
  return first + residual / count;
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return not_a_number;
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile_sorted(std::span<const double> sorted, double fraction) {
  if (sorted.empty() || std::isnan(fraction)) return not_a_number;
  const Position position = position_of(fraction, sorted.size());
  if (position.below + 1 == sorted.size()) return sorted.back();
  return interpolate(sorted[position.below], sorted[position.below + 1], position.weight);
}

double quantile(std::span<const double> values, double fraction) {
  // A few values are sorted sooner than storage for them is found.
  if (std::array<double, 32> few; values.size() <= few.size()) {
    if (any_nan(values)) return not_a_number;
    std::copy(values.begin(), values.end(), few.begin());
    const std::span<double> sorted = std::span(few).first(values.size());
    std::sort(sorted.begin(), sorted.end());
    return quantile_sorted(sorted, fraction);
  }
  std::vector<double> copy(values.begin(), values.end());
  return quantiles_in_place(copy, std::span(&fraction, 1)).front();
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

std::vector<double> quantiles_in_place(std::span<double> values, std::span<const double> fractions) {
  std::vector<double> found(fractions.size(), not_a_number);
  if (values.empty() || any_nan(values) || any_nan(fractions)) return found;
  std::size_t from = 0;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const Position position = position_of(fractions[i], values.size());
    found[i] = select_quantile(values, from, position);
    from = position.below + 1;
  }
  return found;
}

Fences fences_from_quartiles(double first, double third) {
  const double spread = third - first;
  return {first - 1.5 * spread, third + 1.5 * spread, first - 3 * spread, third + 3 * spread};
}

Fences tukey_fences(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const double fractions[] = {0.25, 0.75};
  const std::vector<double> quartiles = quantiles_in_place(copy, fractions);
  return fences_from_quartiles(quartiles[0], quartiles[1]);
}

double trimmed_mean(std::span<const double> values, double fraction) {
  if (values.empty() || any_nan(values) || !(fraction >= 0 && fraction < 0.5)) return not_a_number;
  const auto cut = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size()));
  std::vector<double> copy(values.begin(), values.end());
  if (cut > 0) {
    std::nth_element(copy.begin(), copy.begin() + cut, copy.end());
    std::nth_element(copy.begin() + cut, copy.end() - cut, copy.end());
  }
  return mean(std::span(copy).subspan(static_cast<std::size_t>(cut),
                                      values.size() - 2 * static_cast<std::size_t>(cut)));
}

double mean_log(std::span<const double> values) {
  constexpr std::uint64_t mantissa_bits = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t exponent_of_one = std::uint64_t{1023} << 52;
  constexpr std::size_t chains = 4;    // independent products, so that none waits for the one before
  constexpr std::size_t block = 1000;  // mantissas lie in [1, 2): their product stays below 2^1000
  double logs = 0;
  std::int64_t exponents = 0;
  for (std::size_t start = 0; start < values.size(); start += block) {
    const std::span<const double> part = values.subspan(start, std::min(block, values.size() - start));
    double products[chains] = {1, 1, 1, 1};
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(part[i]);
      const auto exponent = static_cast<std::int64_t>(bits >> 52);  // the sign, if set, makes it large
      if (exponent >= 2047) return not_a_number;
      if (exponent == 0) {  // subnormal, or zero
        if (!(part[i] > 0)) return not_a_number;
        logs += std::log(part[i]);
        continue;
      }
      exponents += exponent - 1023;
      products[i % chains] *= std::bit_cast<double>((bits & mantissa_bits) | exponent_of_one);
    }
    logs += std::log(products[0] * products[1] * products[2] * products[3]);
  }
  constexpr double log_two = 0.693147180559945309417;
  return (logs + static_cast<double>(exponents) * log_two) / static_cast<double>(values.size());
}

}  // namespace harness::stats
