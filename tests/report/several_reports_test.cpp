// Reports of several suites in one text.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "fixture.h"

namespace harness {
namespace {

// A comparison and a run, as two suites.
class Several : public testing::Test {
 protected:
  Several() : second_(fixture::record()), summaries_(fixture::summaries()) {
    second_.suite.name = "other";
    reports_ = {{"fusion", 1, report::comparison_document(first_)},
                {"other", 0, report::run_document(second_, summaries_)}};
  }

  [[nodiscard]] std::string drawn(Format format) const { return render(reports_, 1, format); }

  Comparison first_ = fixture::comparison();
  Record second_;
  std::vector<Summary> summaries_;
  std::vector<SuiteReport> reports_;
};

TEST_F(Several, AreAListInJson) {
  const auto json = nlohmann::json::parse(drawn(Format::json));
  EXPECT_EQ(json.at("format"), "harness-reports");
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("exit_code"), 1);
  ASSERT_EQ(json.at("reports").size(), 2U);
  EXPECT_EQ(json["reports"][0], nlohmann::json::parse(render(reports_[0].report, Format::json)));
  EXPECT_EQ(json["reports"][1].at("format"), "harness-run-report");
}

TEST_F(Several, AreATestSuiteEachInJunit) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(drawn(Format::junit).c_str()));
  const pugi::xml_node root = document.child("testsuites");
  EXPECT_STREQ(root.child("testsuite").attribute("name").value(), "fusion");
  EXPECT_STREQ(root.last_child().attribute("name").value(), "other");
  for (const char* total : {"tests", "failures", "errors"}) {
    unsigned sum = 0;
    for (const pugi::xml_node suite : root.children("testsuite")) sum += suite.attribute(total).as_uint();
    EXPECT_EQ(root.attribute(total).as_uint(), sum) << total;
  }
  EXPECT_EQ(document.select_nodes("//testcase").size(), root.attribute("tests").as_uint());
}

TEST_F(Several, HaveTheSuiteInEveryRowOfCsv) {
  const std::string text = drawn(Format::csv);
  EXPECT_TRUE(text.starts_with("suite,table,section,row,")) << text;
  std::size_t rows = 0;
  for (std::size_t at = text.find("\r\n"); at + 2 < text.size(); at = text.find("\r\n", at + 2), ++rows)
    EXPECT_TRUE(text.compare(at + 2, 7, "fusion,") == 0 || text.compare(at + 2, 6, "other,") == 0);
  EXPECT_GT(rows, 10U);
}

TEST_F(Several, HaveALineASuiteWhereOneLooksFirst) {
  const std::string headline = reports_[0].report.document.headline;
  const std::string terminal = drawn(Format::terminal);
  EXPECT_EQ(terminal.find(headline), 0U);
  EXPECT_GT(terminal.rfind("  fusion  "), terminal.find(render(reports_[1].report, Format::terminal)));
  const std::string markdown = drawn(Format::markdown);
  EXPECT_LT(markdown.find("**fusion**"), markdown.find("### ", 4)) << markdown;
}

TEST_F(Several, HaveTheHeadlineOfTheOneThatLeads) {
  reports_[0].leads = true;
  const std::string summary = render_summary(reports_, 0, {});
  EXPECT_EQ(summary.find("1 suite; " + reports_[0].report.document.headline), 0U) << summary;
  EXPECT_EQ(summary.find("  fusion  "), std::string::npos);
  EXPECT_NE(summary.find("  other  "), std::string::npos);
}

TEST_F(Several, StayWithinTheLimitOfMarkdown) {
  Style style;
  style.markdown_limit = 6000;
  const std::string text = render(reports_, 1, Format::markdown, style);
  EXPECT_LE(text.size(), 6000U);
  EXPECT_NE(text.find("other"), std::string::npos);
}

}  // namespace
}  // namespace harness
