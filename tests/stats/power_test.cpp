#include "harness/stats/hypothesis/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/stats/hypothesis/welch.h"
#include "reference.h"

namespace harness::stats {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Power, AgreesWithNumericalIntegration) {
  for (const auto& one : reference("power.json")) {
    expect_close(students_t_critical(one["degrees_of_freedom"], one["alpha"]), one["critical"]);
    expect_close(power_of_t_test(one["degrees_of_freedom"], one["shift"], one["alpha"]), one["power"]);
  }
}

TEST(Power, OfTheDetectableShiftIsWhatWasAskedFor) {
  for (const double dof : {1.0, 2.0, 4.0, 7.7, 38.0, 1e5, infinity})
    for (const double alpha : {0.05, 0.01, 1e-5})
      for (const double power : {0.5, 0.8, 0.99})
        EXPECT_NEAR(power_of_t_test(dof, detectable_shift(dof, alpha, power), alpha), power, 1e-8)
            << dof << " " << alpha << " " << power;
}

// Paired processes, alpha .01 one-sided, 80 % power, in units of the sd of one difference.
TEST(Power, OfPairedProcessesMatchesTheKnownTable) {
  const std::pair<int, double> table[] = {{5, 2.18}, {8, 1.40}, {10, 1.19}, {20, 0.76}};
  for (const auto& [processes, effect] : table)
    EXPECT_NEAR(detectable_shift(processes - 1, 0.01, 0.8) / std::sqrt(processes), effect, 0.005)
        << processes;
}

TEST(Power, BeyondAnyUsableCriticalValueStaysSmooth) {
  const double just_below = detectable_shift(1, 0.5 / 1000 / 3.1415, 0.8);
  const double just_above = detectable_shift(1, 0.2 / 1000 / 3.1415, 0.8);
  EXPECT_LT(just_below, just_above);
  EXPECT_TRUE(std::isfinite(detectable_shift(1, 1e-12, 0.8)));
  EXPECT_TRUE(std::isfinite(detectable_shift(2.5, 1e-12, 0.8)));
}

TEST(DetectableShift, InterpolatesTheExactOne) {
  for (const double alpha : {0.05, 0.01, 1e-5, 1e-7})
    for (const double power : {0.8, 0.9}) {
      const DetectableShift table(alpha, power);
      for (const double dof : {1.0, 1.3, 2.0, 3.1, 4.0, 8.0, 17.5, 60.0, 1000.0, infinity}) {
        const double exact = detectable_shift(dof, alpha, power);
        EXPECT_NEAR(table.at(dof) / exact, 1, 1e-5) << dof << " " << alpha << " " << power;
      }
    }
}

TEST(ProcessesNeeded, IsTheFirstNumberThatReachesThePower) {
  const DetectableShift shift(0.01, 0.8);
  const double gap = 0.004, sd = 0.003, known = 1e-6;
  const auto needed = processes_needed(gap, sd, sd, known, shift);
  ASSERT_TRUE(needed);
  const auto power_with = [&](int processes) {
    const auto count = static_cast<std::size_t>(processes);
    const auto test = welch(Moments{count, 0, sd * sd}, Moments{count, 0, sd * sd}, known, 0);
    return power_of_t_test(test->degrees_of_freedom, gap / test->standard_error, 0.01);
  };
  EXPECT_GE(power_with(*needed), 0.8);
  EXPECT_LT(power_with(*needed - 1), 0.8);
}

TEST(ProcessesNeeded, SaysWhenNoNumberWouldDo) {
  const DetectableShift shift(0.01, 0.8);
  EXPECT_FALSE(processes_needed(0.004, 0.003, 0.003, 1e-2, shift));  // sessions differ too much
  EXPECT_FALSE(processes_needed(0, 0.003, 0.003, 0, shift));
  EXPECT_FALSE(processes_needed(-1, 0.003, 0.003, 0, shift));
  EXPECT_FALSE(processes_needed(std::nan(""), 0.003, 0.003, 0, shift));
  EXPECT_FALSE(processes_needed(1e-9, 0.003, 0.003, 0, shift));
  EXPECT_EQ(processes_needed(0.1, 0, 0, 0, shift), 2);  // nothing varies: two values show it
}

}  // namespace
}  // namespace harness::stats
