// A selftest: what passed, what failed, and every rate with its bounds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/documents.h"
#include "studies.h"

namespace harness {
namespace {

TEST(Selftest, FailsExactlyTheRowsAboveTheirLimit) {
  const SelftestReport failed = fixture::selftest(0.017);
  const report::CiView view = report::selftest_document(failed).ci();
  ASSERT_EQ(view.cases.size(), 3U);  // two rows and a run
  EXPECT_EQ(view.cases[0].state, report::CiState::failure);
  EXPECT_EQ(view.cases[1].state, report::CiState::passed);
  EXPECT_EQ(view.cases[2].state, report::CiState::passed);
  EXPECT_EQ(report::selftest_document(failed).document.tone, report::Paint::bad);
  const SelftestReport passed = fixture::selftest(0.009);
  EXPECT_EQ(report::selftest_document(passed).document.tone, report::Paint::strong);
  EXPECT_EQ(report::selftest_document(passed).ci().cases[0].state, report::CiState::passed);
}

TEST(Selftest, IsJsonWithCountsLimitsAndBounds) {
  const SelftestReport report = fixture::selftest(0.017);
  const auto json = nlohmann::json::parse(report::selftest_document(report).json());
  EXPECT_EQ(json["format"], "harness-selftest");
  EXPECT_EQ(json["version"], 1);
  EXPECT_FALSE(json["passed"].get<bool>());
  const auto& rate = json["simulated"][0]["at_margin_called_regressed"];
  EXPECT_EQ(rate["hits"], 200);
  EXPECT_EQ(rate["trials"], 10000);
  EXPECT_TRUE(rate["exceeds"].get<bool>());
  EXPECT_TRUE(json["simulated"][1]["passed"].get<bool>());
  EXPECT_EQ(json["runs"][0]["cases"][0]["called_regressed"], 3);
}

TEST(Selftest, ListsOurRuleAmongThoseOfOtherToolsTheQuietestFirst) {
  const SelftestReport report = fixture::selftest(0.009);
  const std::string text = render(report::selftest_document(report), Format::csv);
  const auto ours = text.find(",harness,"), ratio = text.find(",github-action-benchmark,"),
             welch = text.find(",\"Welch, p < .05\",");
  ASSERT_NE(welch, std::string::npos) << text;
  EXPECT_LT(ratio, ours);
  EXPECT_LT(ours, welch);
  EXPECT_NE(render(report::selftest_document(report), Format::markdown).find("criterion.rs"),
            std::string::npos)
      << "a rule that was not asked is named";
}

}  // namespace
}  // namespace harness
