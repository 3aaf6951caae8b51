#include "harness/measure/referee/ruling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace harness::referee {
namespace {

constexpr BatchLengths lengths{5, 40};

// Rounds whose batches cost `constant` beside their calls. The ratio alternates by `wobble` around `ratio`.
std::vector<RoundTimes> rounds(double call, double ratio, double wobble, int count,
                               double constant = 290e-6) {
  std::vector<RoundTimes> all;
  for (int i = 0; i < count; ++i) {
    const double current = call * ratio * (1 + (i % 2 == 0 ? wobble : -wobble));
    all.push_back(
        {constant + 5 * call, constant + 40 * call, constant + 5 * current, constant + 40 * current});
  }
  return all;
}

Ruling ruling(const std::vector<RoundTimes>& played, const Judging& how = {}) {
  RefereedCase result;
  rule(result, played, lengths, 4, how);
  return result.ruling;
}

TEST(Slope, LeavesOutWhatEachBatchCostsBesideItsCalls) {
  EXPECT_NEAR(slope(290e-6 + 5 * 20e-6, 290e-6 + 40 * 20e-6, lengths), 20e-6, 1e-12);
}

TEST(Ruling, OfEqualBuildsIsNotSlower) {
  RefereedCase result;
  rule(result, rounds(100e-6, 1, 0.002, 20), lengths, 4, {});
  EXPECT_EQ(result.ruling, Ruling::not_slower);
  EXPECT_NEAR(result.ratio, 1, 1e-3);
  EXPECT_LT(result.lo, 1);
  EXPECT_GT(result.hi, 1);
  EXPECT_NEAR(result.baseline_us, 100, 1e-6);
  EXPECT_EQ(result.rounds, 20);
  EXPECT_THAT(result.calls, testing::ElementsAre(5, 40));
}

TEST(Ruling, TellsThreePercentFromOne) {
  EXPECT_EQ(ruling(rounds(100e-6, 1.03, 0.002, 20)), Ruling::slower);
  EXPECT_EQ(ruling(rounds(100e-6, 1 / 1.03, 0.002, 20)), Ruling::faster);
  EXPECT_EQ(ruling(rounds(100e-6, 1.005, 0.002, 20)), Ruling::not_slower);
}

TEST(Ruling, IsOpenAtTheMarginAndWhereRoundsDiffer) {
  EXPECT_EQ(ruling(rounds(100e-6, 1.01, 0.002, 20)), Ruling::undecided);
  EXPECT_EQ(ruling(rounds(100e-6, 1.03, 0.2, 20)), Ruling::undecided);
}

TEST(Ruling, PassesOnlyTheFasterWhereThatIsAskedFor) {
  const Judging faster{.asks_faster = true};
  EXPECT_EQ(ruling(rounds(100e-6, 1, 0.002, 20), faster), Ruling::not_faster);
  EXPECT_EQ(ruling(rounds(100e-6, 0.95, 0.002, 20), faster), Ruling::faster);
  EXPECT_EQ(ruling(rounds(100e-6, 1 / 1.01, 0.002, 20), faster), Ruling::undecided);
  EXPECT_EQ(ruling(rounds(100e-6, 1.05, 0.002, 20), faster), Ruling::slower);
}

// Rounds that agree do not make the instrument better than it is.
TEST(Ruling, NeverPretendsToKnowShortCallsBetterThanTheInstrument) {
  RefereedCase result;
  rule(result, rounds(1e-6, 1, 0, 30), lengths, 4, {});
  EXPECT_GT(result.hi - result.lo, 2 * process_sd / 1e-6 / 2);
  EXPECT_EQ(result.ruling, Ruling::undecided);
  rule(result, rounds(100e-6, 1, 0, 30), lengths, 4, {});
  EXPECT_LT(result.hi - result.lo, 0.004);
}

TEST(Ruling, IsOpenWithoutSlopes) {
  EXPECT_EQ(ruling({}), Ruling::undecided);
  EXPECT_EQ(ruling(rounds(100e-6, 1, 0, 1)), Ruling::undecided);
  std::vector<RoundTimes> backwards = rounds(100e-6, 1, 0.002, 20);
  backwards[3].current_longer = backwards[3].current_shorter;
  EXPECT_EQ(ruling(backwards), Ruling::undecided);
}

TEST(Pairs, AreMoreOfShorterCalls) {
  EXPECT_EQ(choose_pairs(1e-6), 4);
  EXPECT_EQ(choose_pairs(20e-6), 4);
  EXPECT_EQ(choose_pairs(30e-6), 3);
  EXPECT_EQ(choose_pairs(100e-6), 1);
}

TEST(Ruling, KnowsMoreByMoreProcesses) {
  RefereedCase one, four;
  rule(one, rounds(10e-6, 1, 0, 30), lengths, 1, {});
  rule(four, rounds(10e-6, 1, 0, 30), lengths, 4, {});
  EXPECT_NEAR((one.hi - one.lo) / (four.hi - four.lo), 2, 0.02);
  EXPECT_EQ(one.ruling, Ruling::undecided);
  EXPECT_EQ(four.ruling, Ruling::not_slower);
}

TEST(Lengths, ReachAFewMillisecondsWhereSetsAndDrawingAllow) {
  EXPECT_EQ(choose_lengths({.call = 100e-6, .drawing = 1e-3, .most_sets = 256}), (BatchLengths{5, 40}));
  EXPECT_EQ(choose_lengths({.call = 2e-6, .drawing = 1e-3, .most_sets = 256}), (BatchLengths{32, 256}));
  EXPECT_EQ(choose_lengths({.call = 100e-6, .drawing = 0.1, .most_sets = 256}), (BatchLengths{1, 10}));
  EXPECT_EQ(choose_lengths({.call = 100e-6, .drawing = 10, .most_sets = 256}), (BatchLengths{1, 4}));
  EXPECT_EQ(choose_lengths({.call = 100e-6, .drawing = 1e-3, .most_sets = 2}), (BatchLengths{1, 2}));
}

TEST(Rounds, AreFewerWhereDrawingTakesLong) {
  EXPECT_EQ(choose_rounds({5, 40}, 1e-3), most_rounds);
  EXPECT_EQ(choose_rounds({1, 4}, 1), 12);
  EXPECT_EQ(choose_rounds({1, 4}, 100), least_rounds);
}

TEST(Lengths, LeaveRoomForRoundsInTheBudget) {
  EXPECT_EQ(choose_lengths({.call = 0.1, .budget = 5}), (BatchLengths{1, 4}));
  EXPECT_EQ(choose_lengths({.call = 0.2, .budget = 5}), (BatchLengths{1, 2}));
  EXPECT_EQ(choose_lengths({.call = 3, .budget = 5}), (BatchLengths{1, 2}));
}

}  // namespace
}  // namespace harness::referee
