#include "harness/study/bisection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace harness {
namespace {

using Mark = Bisection::Mark;

// Searches for `culprit` among `count` commits, of which `broken` cannot be tested; the number of tests.
int search(Bisection& bisection, std::size_t culprit, const std::set<std::size_t>& broken = {}) {
  int tests = 0;
  while (const auto next = bisection.next({})) {
    ++tests;
    if (broken.contains(*next))
      bisection.mark(*next, Mark::skipped);
    else
      bisection.mark(*next, *next >= culprit ? Mark::bad : Mark::good);
  }
  return tests;
}

TEST(Bisections, FindEveryCulpritInLogarithmicallyManyTests) {
  for (const std::size_t count : {2UL, 3UL, 4UL, 17UL, 100UL})
    for (std::size_t culprit = 1; culprit < count; ++culprit) {
      Bisection bisection(count);
      const int tests = search(bisection, culprit);
      EXPECT_EQ(bisection.bad(), culprit);
      EXPECT_EQ(bisection.good(), culprit - 1);
      EXPECT_LE(tests, static_cast<int>(std::ceil(std::log2(static_cast<double>(count)))));
    }
}

TEST(Bisections, StepAroundWhatCannotBeTested) {
  Bisection bisection(17);
  search(bisection, 11, {7, 8, 9});
  EXPECT_EQ(bisection.bad(), 11U);
  EXPECT_EQ(bisection.good(), 10U);
}

TEST(Bisections, LeaveARangeWhenTheCulpritHidesBehindSkips) {
  Bisection bisection(17);
  search(bisection, 8, {7, 8, 9});
  EXPECT_EQ(bisection.bad(), 10U);
  EXPECT_EQ(bisection.good(), 6U);
  EXPECT_EQ(bisection.at(8), Mark::skipped);
}

TEST(Bisections, PreferWhatIsMeasuredAlreadyNearTheMiddle) {
  const Bisection bisection(101);
  EXPECT_EQ(bisection.next({}), 50U);
  EXPECT_EQ(bisection.next([](std::size_t i) { return i == 30 || i == 64; }), 64U);
  EXPECT_EQ(bisection.next([](std::size_t i) { return i == 10; }), 50U) << "too far from the middle";
}

}  // namespace
}  // namespace harness
