#include "harness/stats/series/cusum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "calibration.h"
#include "reference.h"

namespace harness::stats {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Cusum, AgreesWithATextbookExample) {
  const auto one = reference("cusum.json");
  const auto values = one["values"].get<Values>();
  const auto found = cusum(values, 10, 1, {0.5, 5});
  ASSERT_TRUE(found && found->alarm);
  EXPECT_EQ(found->alarm->index, 28u);    // "period 29"
  EXPECT_EQ(found->alarm->started, 22u);  // "N+ = 7": shifted from period 23 on
  EXPECT_EQ(found->alarm->side, CusumSide::up);
  EXPECT_NEAR(found->upper, 5.28, 0.005);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto part = cusum(std::span(values).first(i + 1), 10, 1, {0.5, 100});
    expect_close(part->upper, one["sums"][i][0], 1e-9, 1e-12);
    expect_close(part->lower, one["sums"][i][1], 1e-9, 1e-12);
    EXPECT_FALSE(part->alarm);
  }
}

TEST(Cusum, MirrorsAndIgnoresUnits) {
  const auto values = reference("cusum.json")["values"].get<Values>();
  Values mirrored;
  for (const double value : values) mirrored.push_back(-3 * value);
  const auto found = cusum(mirrored, -30, 3, {0.5, 5});
  ASSERT_TRUE(found && found->alarm);
  EXPECT_EQ(found->alarm->side, CusumSide::down);
  EXPECT_EQ(found->alarm->index, 28u);
  EXPECT_NEAR(found->lower, 5.28, 0.005);
}

TEST(Cusum, NoticesStepsThatEachPassAGate) {
  Draw draw(71);
  Values values;  // log values of sd 0.5 %: ten as they were, then +1 % after each five
  for (int i = 0; i < 30; ++i) {
    const int steps = i < 10 ? 0 : i / 5 - 1;
    values.push_back(0.01 * steps + 0.005 * draw.normal());
  }
  const auto found = cusum(values, 0, 0.005, {1, cusum_decision(1, 1000)});
  ASSERT_TRUE(found && found->alarm);
  EXPECT_EQ(found->alarm->side, CusumSide::up);
  EXPECT_LT(found->alarm->index, 16u);
}

TEST(Cusum, HasAnAnswerForOddInput) {
  EXPECT_FALSE(cusum(Values{}, 0, 1, {})->alarm);
  EXPECT_FALSE(cusum(Values{1, 2}, 0, 0, {}));
  EXPECT_FALSE(cusum(Values{1, 2}, 0, -1, {}));
  EXPECT_FALSE(cusum(Values{1, 2}, std::nan(""), 1, {}));
  EXPECT_FALSE(cusum(Values{1, 2}, 0, infinity, {}));
  EXPECT_FALSE(cusum(Values{1, std::nan("")}, 0, 1, {}));
  EXPECT_FALSE(cusum(Values{1, 2}, 0, 1, {-1, 5}));
  EXPECT_FALSE(cusum(Values{1, 2}, 0, 1, {0.5, std::nan("")}));
  EXPECT_EQ(cusum(Values{0, -infinity}, 0, 1, {})->alarm->side, CusumSide::down);
  EXPECT_EQ(cusum(Values{0, 9}, 0, 1, {})->alarm->index, 1u);
}

TEST(CusumRunLength, AgreesWithTheMarkovChain) {
  const auto table = reference("cusum.json")["run_lengths"];
  ASSERT_FALSE(table.empty());
  for (const auto& one : table) {
    const double exact = one["length"];
    const double found = cusum_run_length({one["reference"], one["decision"]}, one["shift"]);
    EXPECT_NEAR(found / exact, 1, one["reference"] <= 0.5 ? 0.01 : 0.06) << one;
  }
}

TEST(CusumRunLength, IsSmoothWhereTheDriftVanishes) {
  const double at = cusum_run_length({0.5, 5}, 0.5);
  EXPECT_NEAR(cusum_run_length({0.5, 5}, 0.5 + 1e-7), at, 1e-4 * at);
  EXPECT_NEAR(cusum_run_length({0.5, 5}, 0.5 - 1e-5), at, 1e-3 * at);
}

TEST(CusumDecision, GivesTheRunLengthAskedFor) {
  for (const double reference : {0.25, 0.5, 1.0})
    for (const double length : {50.0, 370.0, 10'000.0})
      EXPECT_NEAR(cusum_run_length({reference, cusum_decision(reference, length)}) / length, 1, 1e-9);
  EXPECT_NEAR(cusum_decision(0.5, 465), 5, 0.02);  // the textbook's pair
  EXPECT_EQ(cusum_decision(0.5, 1), 0);
}

TEST(CusumDecision, AlarmsOnAnUnchangedSeriesAsRarelyAsPlanned) {
  Draw draw(72);
  const CusumRule rule{0.5, cusum_decision(0.5, 100)};
  double length = 0;
  constexpr int rounds = 1500;
  for (int i = 0; i < rounds; ++i) {
    const auto found = cusum(draw.normals(2000), 0, 1, rule);
    ASSERT_TRUE(found->alarm);
    length += static_cast<double>(found->alarm->index + 1) / rounds;
  }
  // About exponential, so its mean over 1500 rounds has an sd of 2.6; 5 % for the approximation.
  EXPECT_NEAR(length, 100, 2.58 * 2.6 + 5);
}

}  // namespace
}  // namespace harness::stats
