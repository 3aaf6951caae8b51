// Error rates by simulation from fixed seeds.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "harness/stats/hypothesis/proportion.h"

namespace harness::stats {

// Draws independent normal values; sd 1.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double normal() { return normal_(random_); }
  double uniform() { return uniform_(random_); }
  std::vector<double> normals(std::size_t count, double mean = 0, double sd = 1) {
    std::vector<double> values(count);
    for (double& value : values) value = mean + sd * normal();
    return values;
  }
  std::vector<double> uniforms(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = uniform();
    return values;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

// The share of `trials` calls that are true may be at most `nominal`, as far as the 99 % interval tells.
template <class Trial>
void expect_rate_at_most(double nominal, std::size_t trials, const Trial& trial) {
  std::size_t alarms = 0;
  for (std::size_t i = 0; i < trials; ++i) alarms += trial() ? 1 : 0;
  EXPECT_LE(clopper_pearson(alarms, trials, 0.99).lo, nominal) << alarms << " of " << trials;
}

// The share may be just `nominal`.
template <class Trial>
void expect_rate(double nominal, std::size_t trials, const Trial& trial) {
  std::size_t alarms = 0;
  for (std::size_t i = 0; i < trials; ++i) alarms += trial() ? 1 : 0;
  const Bounds bounds = clopper_pearson(alarms, trials, 0.99);
  EXPECT_LE(bounds.lo, nominal) << alarms << " of " << trials;
  EXPECT_GE(bounds.hi, nominal) << alarms << " of " << trials;
}

}  // namespace harness::stats
