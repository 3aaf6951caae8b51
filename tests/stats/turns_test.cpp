#include "harness/stats/series/turns.h"

#include <gtest/gtest.h>

#include <set>

namespace harness::stats {
namespace {

TEST(Turns, GiveBothBuildsTheSameMeanPlaceInEveryBlock) {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (int process = 1; process <= 20; process += 2)
      EXPECT_NE(current_first(process, seed), current_first(process + 1, seed)) << seed << ' ' << process;
}

TEST(Turns, FollowNoRhythmAndDependOnTheSeed) {
  std::set<std::uint64_t> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::uint64_t order = 0;
    for (int process = 1; process <= 40; process += 2)
      order = order * 2 + (current_first(process, seed) ? 1 : 0);
    orders.insert(order);
    EXPECT_EQ(current_first(7, seed), current_first(7, seed));
  }
  EXPECT_EQ(orders.size(), 50U);
  int first = 0;
  for (int process = 1; process <= 2000; process += 2) first += current_first(process, 1) ? 1 : 0;
  EXPECT_NEAR(first, 500, 65);  // four standard deviations
}

}  // namespace
}  // namespace harness::stats
