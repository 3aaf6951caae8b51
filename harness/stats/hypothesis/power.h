// Power: which effect a comparison could have seen, and how many processes would see a given one.
//
// A one-sided t-test with nu degrees of freedom rejects when t > c, the 1 - alpha quantile. When the
// true effect lies `shift` standard errors beyond the margin, t follows a non-central t distribution
// with non-centrality `shift` (Johnson, Kotz & Balakrishnan 1995, ch. 31), so
//   power = P(T'(nu, shift) > c).
// All functions are pure; DetectableShift builds its table on construction and is then read-only.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// P(T'(nu, shift) > c). nu >= 1, possibly infinite; alpha and the result in (0, 1).
double power_of_t_test(double degrees_of_freedom, double shift, double alpha);

// The shift, in standard errors, that is found with probability `power` > alpha.
double detectable_shift(double degrees_of_freedom, double alpha, double power);

// The same from a table over 1/nu (Chebyshev interpolation of log shift), for thousands of cases:
// within 1e-5 of detectable_shift, for nu >= 1.
class DetectableShift {
 public:
  DetectableShift(double alpha, double power);
  [[nodiscard]] double at(double degrees_of_freedom) const;
  [[nodiscard]] double alpha() const { return alpha_; }
  [[nodiscard]] double power() const { return power_; }

 private:
  double alpha_, power_;
  std::vector<double> log_shifts_;
};

// The fewest processes a side, at most `most`, that find an effect `gap` beyond (or inside) a margin with the
// power of `shift`. Inputs are the sd of process values on each side, and the known variance of both sides
// together, which processes do not reduce. Log scale. std::nullopt when even `most` processes are too few.
std::optional<int> processes_needed(double gap, double sd_baseline, double sd_current, double known_variance,
                                    const DetectableShift& shift, int most = 1000);

// The same for any test: `test_with` gives the one that a number of processes makes. More processes must
// never see less.
std::optional<int> fewest_processes(double gap, const DetectableShift& shift, int most,
                                    const std::function<TTest(int)>& test_with);

// The smallest true difference that a test like this one calls larger than `margin` with the power of
// `shift`: margin + shift(nu) SE, on the scale of the values.
double minimum_detectable(const TTest& test, double margin, const DetectableShift& shift);

}  // namespace harness::stats
