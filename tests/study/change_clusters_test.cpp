// Changes of many series that one commit caused are one cluster.
#include "harness/study/change_clusters.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

// A series of three points, c0 to c2, with these changes.
Trend trend_with(const std::string& case_id, std::vector<TrendChange> changes) {
  Trend trend;
  trend.case_id = case_id;
  for (int i = 0; i < 3; ++i) {
    TrendPoint point;
    point.commit = "c" + std::to_string(i);
    point.distance = 2 - i;
    trend.points.push_back(point);
  }
  trend.changes = std::move(changes);
  return trend;
}

TrendChange change_at(std::size_t index, double ratio, bool matters = true) {
  TrendChange change;
  change.index = index;
  change.before = "c" + std::to_string(index - 1);
  change.first = "c" + std::to_string(index);
  change.ratio = ratio;
  change.worse = ratio > 1;
  change.matters = matters;
  return change;
}

TEST(ChangeClusters, HoldWhatTheSameCommitsChanged) {
  const auto clusters = cluster_changes({trend_with("a", {change_at(1, 1.05)}),
                                         trend_with("b", {change_at(1, 1.2), change_at(2, 0.8)}),
                                         trend_with("c", {change_at(2, 1.1)})});
  ASSERT_EQ(clusters.size(), 3U);
  EXPECT_EQ(clusters[0].first, "c2") << "the newest first, and of one commit what got worse";
  EXPECT_TRUE(clusters[0].worse);
  EXPECT_EQ(clusters[1].first, "c2");
  EXPECT_FALSE(clusters[1].worse);
  ASSERT_EQ(clusters[2].members.size(), 2U);
  EXPECT_EQ(clusters[2].members[0].trend, 1U) << "the largest change first";
  EXPECT_EQ(clusters[2].members[1].trend, 0U);
  EXPECT_EQ(clusters[2].before, "c0");
  EXPECT_EQ(clusters[2].distance, 1);
}

TEST(ChangeClusters, LeaveOutWhatDecidesNothing) {
  Trend informative = trend_with("a", {change_at(1, 1.5)});
  informative.informative = true;
  EXPECT_TRUE(cluster_changes({informative, trend_with("b", {change_at(1, 1.001, false)})}).empty());
}

TEST(ChangeClusters, KeepOtherRangesApart) {
  TrendChange wide = change_at(2, 1.1);
  wide.before = "c0";
  EXPECT_EQ(cluster_changes({trend_with("a", {wide}), trend_with("b", {change_at(2, 1.1)})}).size(), 2U);
}

}  // namespace
}  // namespace harness
