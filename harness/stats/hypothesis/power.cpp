#include "harness/stats/hypothesis/power.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "harness/stats/hypothesis/welch.h"

namespace harness::stats {
namespace {

using Policy = boost::math::policies::policy<
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;

// Beyond this critical value the series of the non-central t becomes slow and then fails, and the
// numerator's own noise, 1 in `shift`, hardly matters: T' > c then means sqrt(chi^2/nu) < shift/c.
constexpr double far_critical = 1000;

double tail_beyond(double degrees_of_freedom, double critical, double shift) {
  if (critical > far_critical) {
    const double bound = shift / critical;
    return cdf(boost::math::chi_squared_distribution<double, Policy>(degrees_of_freedom),
               degrees_of_freedom * bound * bound);
  }
  return cdf(complement(boost::math::non_central_t_distribution<double, Policy>(degrees_of_freedom, shift),
                        critical));
}

double normal_quantile(double probability) {
  return quantile(boost::math::normal_distribution<double, Policy>(), probability);
}

constexpr std::size_t table_size = 20;

double node(std::size_t index) {  // Chebyshev points of the first kind on [0, 1]
  const double angle = (2.0 * static_cast<double>(index) + 1) / (2.0 * table_size) * std::numbers::pi;
  return 0.5 + 0.5 * std::cos(angle);
}

double weight(std::size_t index) {
  const double angle = (2.0 * static_cast<double>(index) + 1) / (2.0 * table_size) * std::numbers::pi;
  return index % 2 == 0 ? std::sin(angle) : -std::sin(angle);
}

}  // namespace

double power_of_t_test(double degrees_of_freedom, double shift, double alpha) {
  return tail_beyond(degrees_of_freedom, students_t_critical(degrees_of_freedom, alpha), shift);
}

double detectable_shift(double degrees_of_freedom, double alpha, double power) {
  const double critical = students_t_critical(degrees_of_freedom, alpha);
  if (critical > far_critical) {
    const boost::math::chi_squared_distribution<double, Policy> spread(degrees_of_freedom);
    return critical * std::sqrt(quantile(spread, power) / degrees_of_freedom);
  }
  // The probit of the power is nearly a straight line in the shift: the secant method takes a few
  // steps from the usual normal approximation (Johnson & Welch 1940).
  const double target = normal_quantile(power);
  const auto miss = [&](double shift) {
    const double reached = std::clamp(tail_beyond(degrees_of_freedom, critical, shift), 1e-300, 1 - 1e-16);
    return normal_quantile(reached) - target;
  };
  const double spread = std::sqrt(1 + critical * critical / (2 * degrees_of_freedom));
  double before = critical + target * spread, miss_before = miss(before);
  double shift = before - miss_before * spread, miss_now = miss(shift);
  for (int step = 0; step < 50 && std::abs(miss_now) > 1e-13 && miss_now != miss_before; ++step) {
    const double next = shift - miss_now * (shift - before) / (miss_now - miss_before);
    before = shift;
    miss_before = miss_now;
    shift = next;
    if (std::abs(shift - before) <= 1e-13 * std::abs(shift)) break;
    miss_now = miss(shift);
  }
  return shift;
}

DetectableShift::DetectableShift(double alpha, double power) : alpha_(alpha), power_(power) {
  log_shifts_.reserve(table_size);
  for (std::size_t i = 0; i < table_size; ++i)
    log_shifts_.push_back(std::log(detectable_shift(1 / node(i), alpha, power)));
}

// Barycentric interpolation (Berrut & Trefethen 2004).
double DetectableShift::at(double degrees_of_freedom) const {
  const double at = std::clamp(1 / degrees_of_freedom, 0.0, 1.0);
  static const auto nodes = [] {
    std::vector<std::pair<double, double>> all;
    for (std::size_t i = 0; i < table_size; ++i) all.emplace_back(node(i), weight(i));
    return all;
  }();
  double numerator = 0, denominator = 0;
  for (std::size_t i = 0; i < table_size; ++i) {
    const double distance = at - nodes[i].first;
    if (distance == 0) return std::exp(log_shifts_[i]);
    numerator += nodes[i].second / distance * log_shifts_[i];
    denominator += nodes[i].second / distance;
  }
  return std::exp(numerator / denominator);
}

std::optional<int> fewest_processes(double gap, const DetectableShift& shift, int most,
                                    const std::function<TTest(int)>& test_with) {
  if (!(gap > 0)) return std::nullopt;
  const auto enough = [&](int processes) {
    return minimum_detectable(test_with(processes), 0, shift) <= gap;
  };
  if (most < 2 || !enough(most)) return std::nullopt;
  int too_few = 1, sufficient = most;
  while (sufficient - too_few > 1) {
    const int middle = too_few + (sufficient - too_few) / 2;
    (enough(middle) ? sufficient : too_few) = middle;
  }
  return sufficient;
}

std::optional<int> processes_needed(double gap, double sd_baseline, double sd_current, double known_variance,
                                    const DetectableShift& shift, int most) {
  if (!std::isfinite(sd_baseline) || !std::isfinite(sd_current)) return std::nullopt;
  return fewest_processes(gap, shift, most, [&](int processes) {
    const auto count = static_cast<std::size_t>(processes);
    return *welch(Moments{count, 0, sd_baseline * sd_baseline}, Moments{count, 0, sd_current * sd_current},
                  known_variance, 0);
  });
}

double minimum_detectable(const TTest& test, double margin, const DetectableShift& shift) {
  if (test.standard_error == 0) return margin;
  return margin + shift.at(test.degrees_of_freedom) * test.standard_error;
}

}  // namespace harness::stats
