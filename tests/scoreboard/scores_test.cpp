#include "scores.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace harness {
namespace {

TEST(Scores, CountTheStartAndMatchALabelOnce) {
  EXPECT_DOUBLE_EQ(f1_score({{10, 20}, {11, 20}, {10}, {0, 5}}, {10, 20}), 1);
  // All starts are found: precision 2/2, recall (1 + 1 + 1/2) / 3.
  EXPECT_NEAR(f1_score({{}, {10}, {50}}, {10}), 2 * (5.0 / 6) / (1 + 5.0 / 6), 1e-12);
  EXPECT_NEAR(f1_score({{}, {10}, {50}}, {}), 0.8, 1e-12);
  // Two change points near one label: one of them is false. Precision 2/3, recall 1.
  EXPECT_NEAR(f1_score({{30}}, {28, 31}), 0.8, 1e-12);
  EXPECT_LT(f1_score({{30}}, {36}), 0.6) << "6 values apart";
}

TEST(Scores, CoverEachLabelledSegmentByTheMostAlike) {
  EXPECT_DOUBLE_EQ(cover_score({{3, 5}}, {3, 5}, 8), 1);
  EXPECT_DOUBLE_EQ(cover_score({{}}, {}, 8), 1);
  // Segments of 4 and 4 by one of 8: 1/2 each.
  EXPECT_DOUBLE_EQ(cover_score({{4}}, {}, 8), 0.5);
  // 3 of 3; 3 values by those of 2 and 1: 2/3.
  EXPECT_NEAR(cover_score({{3}}, {3, 5}, 6), (3 * 1.0 + 3 * 2.0 / 3) / 6, 1e-12);
  EXPECT_DOUBLE_EQ(cover_score({{4}, {}}, {4}, 8), 0.75) << "the mean over annotators";
}

// Annotations of the Nile series, and the published scores of never finding a change.
TEST(Scores, AreThoseThatArePublished) {
  std::ifstream file(HARNESS_SOURCE_DIR "/tests/scoreboard/published.json");
  const auto published = nlohmann::json::parse(file).at("never a change").at("nile");
  const std::vector<Places> nile = {{}, {28}, {}, {28}, {28}};
  EXPECT_NEAR(f1_score(nile, {}), published[0].get<double>(), 1e-4);
  EXPECT_NEAR(cover_score(nile, {}, 100), published[1].get<double>(), 1e-4);
}

TEST(Scores, TallyWhatIsWithinTwoValues) {
  Tally tally;
  tally.add({{10, 10}, {20, 25}}, {12, 22, 27, 40});
  EXPECT_EQ(tally.found, 4U);
  EXPECT_EQ(tally.right, 3U);
  EXPECT_EQ(tally.planted, 2U);
  EXPECT_EQ(tally.seen, 2U);
  tally.add({{5, 5}}, {8});
  EXPECT_EQ(tally.right, 3U);
  EXPECT_EQ(tally.seen, 2U);
}

}  // namespace
}  // namespace harness
