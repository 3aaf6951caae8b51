#include "harness/stats/series/local_noise.h"

#include <algorithm>
#include <cmath>

namespace harness::stats {

std::optional<LocalNoise> local_noise(std::span<const double> values) {
  const std::vector<double> one(values.begin(), values.end());
  return local_noise(std::span(&one, 1));
}

std::optional<LocalNoise> local_noise(std::span<const std::vector<double>> series) {
  constexpr double median_of_normal = 0.6744897501960817;  // of |z|
  std::vector<double> distances;
  for (const std::vector<double>& values : series)
    for (std::size_t i = 1; i + 1 < values.size(); ++i)
      distances.push_back(std::abs(values[i - 1] - 2 * values[i] + values[i + 1]));
  if (distances.size() < 3 ||
      !std::all_of(distances.begin(), distances.end(), [](double d) { return std::isfinite(d); }))
    return std::nullopt;
  const auto upper = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), upper, distances.end());
  double median = *upper;
  if (distances.size() % 2 == 0) median = (median + *std::max_element(distances.begin(), upper)) / 2;
  const double sd = median / median_of_normal;
  return LocalNoise{sd * sd / 6, static_cast<double>(distances.size()) / 4};
}

}  // namespace harness::stats
