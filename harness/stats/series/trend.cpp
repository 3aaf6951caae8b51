#include "harness/stats/series/trend.h"

#include <cmath>

#include "harness/stats/estimate/estimator.h"

namespace harness::stats {
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

}  // namespace harness::stats
