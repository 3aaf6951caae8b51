// One-sample t-test on differences: the verdict of an A/B run that measures both builds in the same
// process, where each process gives one mean log ratio, current over baseline.
//
// Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// The log ratio, current over baseline, of one process that measured both: the mean over placements of the
// difference of the two 10 % trimmed means of log samples. Placements without samples on a side do not count.
// There are no fences: cold samples come in clumps, and a clump dropped on one side would look like a
// difference. On an H200 the sd of cold log ratios is 0.17 % without fences and 0.23 % with them. NaN without
// samples, or with one that is not positive and finite.
double process_log_ratio(std::span<const std::span<const double>> baseline,
                         std::span<const std::span<const double>> current);

// Student (1908). With s^2 the variance of the P differences and k^2 a known variance, which no number of
// processes reduces: difference = mean, SE^2 = s^2/P + k^2, nu = SE^4 / ((s^2/P)^2 / (P - 1)) (Satterthwaite
// 1946; P - 1 when k is 0). std::nullopt with fewer than two values, or when a value is not finite.
std::optional<TTest> one_sample(const Moments& differences, double known_variance = 0);
std::optional<TTest> one_sample(std::span<const double> differences, double known_variance = 0);

// one_sample of current[i] - baseline[i]; std::nullopt also when the sizes differ.
std::optional<TTest> paired(std::span<const double> baseline, std::span<const double> current,
                            double known_variance = 0);

}  // namespace harness::stats
