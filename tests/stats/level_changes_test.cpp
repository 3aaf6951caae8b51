#include "harness/stats/series/level_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "calibration.h"
#include "reference.h"

namespace harness::stats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Values = std::vector<double>;

std::vector<std::size_t> indices(const std::vector<ChangePoint>& points) {
  std::vector<std::size_t> all;
  for (const ChangePoint& point : points) all.push_back(point.index);
  return all;
}

std::vector<ChangePoint> points_at(const std::vector<std::size_t>& all) {
  std::vector<ChangePoint> points;
  for (const std::size_t index : all) points.push_back({index, 1, 0.001, {}});
  return points;
}

// The change points that a history shows.
std::vector<std::size_t> found(const Values& values) {
  return indices(level_changes(values, change_points(values).value(), 0.01));
}

// A first-order autoregression with an sd of 1.
Values dependent(Draw& draw, std::size_t count, double correlation) {
  Values values{draw.normal()};
  while (values.size() < count)
    values.push_back(correlation * values.back() + std::sqrt(1 - correlation * correlation) * draw.normal());
  return values;
}

TEST(LevelChanges, HaveThePOfReference) {
  for (const auto& one : reference("level_changes.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const Values values = one["values"];
    const double p = one["p"];
    const auto given = points_at({one["index"].get<std::size_t>()});
    EXPECT_EQ(level_changes(values, given, p * (1 + 1e-9)).size(), 1U);
    EXPECT_THAT(level_changes(values, given, p * (1 - 1e-9)), IsEmpty());
  }
}

TEST(LevelChanges, KeepTheStepsOfIndependentNoise) {
  Draw draw(91);
  Values values;
  for (const double level : {0.0, 0.02, 0.05, 0.01})
    for (int i = 0; i < 20; ++i) values.push_back(level + 0.003 * draw.normal());
  const auto points = level_changes(values, change_points(values).value(), 0.01);
  EXPECT_THAT(indices(points), ElementsAre(20, 40, 60));
  EXPECT_NEAR(points[1].change.difference, 0.03, 0.003);
  EXPECT_LE(points[1].p, 0.01) << "the p of the permutations stays";
}

TEST(LevelChanges, FindNoneInADriftWhichShufflingTakesForMany) {
  Draw draw(92);
  Values values;
  for (int i = 0; i < 60; ++i) values.push_back(0.01 * i + 0.02 * draw.normal());
  EXPECT_GE(change_points(values)->size(), 3U);
  EXPECT_THAT(found(values), IsEmpty());
}

// The split is chosen to be large, and few values tell little about their correlation. So there are more than
// alpha.
TEST(LevelChanges, AreFewerThanHalfWhereNeighboursAreAlike) {
  Draw draw(93);
  std::size_t by_shuffling = 0, left = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Values values = dependent(draw, 60, 0.9);
    by_shuffling += change_points(values)->size();
    left += found(values).size();
  }
  EXPECT_GT(by_shuffling, 300U);
  EXPECT_LT(left * 2, by_shuffling);
}

TEST(LevelChanges, AreSeenAboveDependentNoiseToo) {
  Draw draw(94);
  std::size_t seen = 0;
  for (int trial = 0; trial < 50; ++trial) {
    Values values = dependent(draw, 80, 0.5);
    for (std::size_t i = 40; i < values.size(); ++i) values[i] += 5;
    const auto all = found(values);
    seen += std::any_of(all.begin(), all.end(), [](std::size_t at) { return at >= 38 && at <= 42; }) ? 1 : 0;
  }
  EXPECT_GE(seen, 47U);
}

TEST(LevelChanges, AreNotHiddenByAWildValue) {
  Draw draw(95);
  Values values;
  for (int i = 0; i < 50; ++i) values.push_back((i < 25 ? 0 : 0.01) + 0.002 * draw.normal());
  values[10] += 0.5;
  EXPECT_THAT(found(values), ElementsAre(25));
}

TEST(LevelChanges, LeaveOutChangesOfTheSpreadAlone) {
  Draw draw(83);
  Values values = draw.normals(120);
  for (std::size_t i = 60; i < 120; ++i) values[i] *= 6;
  EXPECT_EQ(change_points(values)->size(), 1U);
  EXPECT_THAT(found(values), IsEmpty());
}

TEST(LevelChanges, CompareWithoutVariance) {
  EXPECT_THAT(indices(level_changes(Values{1, 1, 1, 2, 2, 2}, points_at({3}), 0.01)), ElementsAre(3));
  EXPECT_THAT(level_changes(Values{1, 1, 1, 1, 1, 1}, points_at({3}), 0.01), IsEmpty());
  EXPECT_THAT(level_changes(Values{1, 2, 3}, {}, 0.01), IsEmpty());
}

}  // namespace
}  // namespace harness::stats
