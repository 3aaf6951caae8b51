// The HTML page as a file: what is put into the template, and that nothing breaks out of it.
#include "harness/report/media/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"
#include "h200_records.h"
#include "harness/base/text.h"
#include "harness/report/media/page/page_template.h"
#include "page_reader.h"
#include "studies.h"

namespace harness::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t times(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string page_of(const Comparison& comparison) {
  const Record record = fixture::h200_record("main");
  const std::vector<Summary> summaries;
  const Sources sources{{&record, &summaries}, {&record, &summaries}, "again"};
  return html_page(page::small_template, comparison_document(comparison, sources));
}

TEST(Html, IsTheTemplateWithTheTitleAndTheDataInTheirPlaces) {
  const std::string page = page_of(fixture::comparison());
  EXPECT_THAT(page, StartsWith("<!doctype html><title>fusion: regressed</title><script"));
  EXPECT_THAT(page, EndsWith("</script><p>end</p>"));
  const nlohmann::json document = page::document_of_data(page::data_of(page));
  EXPECT_EQ(document["command"], "again");
  EXPECT_EQ(document["comparison"]["verdict"], "regressed");
}

TEST(Html, OfARunHoldsThatRun) {
  const Record record = fixture::record();
  const std::vector<Summary> summaries = fixture::summaries();
  const std::string page =
      html_page(page::small_template, run_document(record, summaries, {{}, {}, "harness report x"}));
  EXPECT_THAT(page, HasSubstr("<title>fusion</title>"));
  const nlohmann::json document = page::document_of_data(page::data_of(page));
  EXPECT_EQ(document["current"]["report"]["record"], fixture::record().id);
  EXPECT_EQ(document["headline"], run_document(record, summaries).document.headline);
}

TEST(Html, LeavesATitleThatNamesThePlacesAlone) {
  Comparison comparison = fixture::comparison();
  comparison.suite = "@HARNESS_DATA@ @HARNESS_TITLE@ </title><script>alert(1)</script>";
  const std::string page = page_of(comparison);
  EXPECT_THAT(page, HasSubstr("<title>@HARNESS_DATA@ @HARNESS_TITLE@ &lt;/title&gt;&lt;script&gt;"));
  EXPECT_EQ(page::document_of_data(page::data_of(page))["format"], "harness-page");
  EXPECT_EQ(times(page, "<script"), 1U);
}

class HostileHtml : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Names, HostileHtml, testing::ValuesIn(fixture::hostile_names()),
                         [](const auto& name) { return std::to_string(name.index); });

TEST_P(HostileHtml, CannotBreakOutOfTitleOrData) {
  const std::string page = page_of(fixture::hostile_comparison(GetParam()));
  EXPECT_EQ(times(page, "<"), times(page::small_template, "<"));
  EXPECT_EQ(page::data_of(page).find_first_not_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
            std::string_view::npos);
  const std::size_t title = page.find("<title>");
  EXPECT_LT(page.find("</title>") - title, 1000U);
}

TEST_P(HostileHtml, CannotBreakOutOfAPlainPage) {
  for (const std::string& report : fixture::hostile_report_names()) {
    const std::string page = fixture::drawn(report, Format::html, {}, GetParam());
    EXPECT_EQ(times(page, "<"), times(page, ">")) << page.substr(0, 400);
    for (const std::string_view tag : {"<script", "<b>", "<img", "<a "})
      EXPECT_EQ(times(page, tag), 0U) << report;
    EXPECT_THAT(page, EndsWith("</body>\n</html>\n"));
  }
}

TEST(Html, WithoutATemplateIsAPageOfPlainElements) {
  const std::string page = fixture::drawn("comparison", Format::html);
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_EQ(times(page, "<table>"), 1U);
  EXPECT_EQ(times(page, "<script"), 0U);
}

TEST(Html, LeavesOutSamplesRatherThanWeighMoreThanTwoMegabytes) {
  const Record record = fixture::many_cases(fixture::h200_record("main"), 40, 1);
  const std::vector<Summary> summaries;
  const Sources sources{{&record, &summaries}, {&record, &summaries}, ""};
  const Comparison comparison = fixture::comparison();
  const Report report = comparison_document(comparison, sources);
  const std::string small = html_page(page::small_template, report);
  std::string heavy(page::small_template);
  heavy.insert(0, std::string(1'850'000, ' '));
  ASSERT_GT(small.size() + heavy.size(), largest_page);
  const std::string page = html_page(heavy, report);
  EXPECT_LE(page.size(), largest_page);
  EXPECT_GT(page.size(), largest_page - 100'000);
}

struct Suites {
  Record record = fixture::record();
  std::vector<Summary> summaries = fixture::summaries();
  Report run = run_document(record, summaries, {{}, {}, "harness report x"});
  Report unfinished = unfinished_document("harness run");
  Document summary = {"", "1 of 3 suites did not pass </title>", Paint::bad};

  [[nodiscard]] std::string drawn(std::string_view page) const {
    return html_page(page, summary, {{"fusion", &run}, {"<b>", &unfinished}, {"smoke", &run}});
  }
};

TEST(Html, OfSeveralReportsHoldsContentsThenEachOne) {
  const std::string page = Suites().drawn(page::small_template);
  EXPECT_THAT(page, HasSubstr("<title>1 of 3 suites did not pass &lt;/title&gt;</title>"));
  const std::vector<std::string> lines = split(std::string(page::data_of(page)), '\n');
  ASSERT_EQ(lines.size(), 3U);  // the one without a page has a headline only
  const nlohmann::json contents = page::document_of_data(lines[0]);
  EXPECT_EQ(contents["format"], "harness-pages");
  EXPECT_EQ(contents["tone"], "bad");
  ASSERT_EQ(contents["parts"].size(), 3U);
  EXPECT_EQ(contents["parts"][0]["name"], "fusion");
  EXPECT_EQ(contents["parts"][1]["page"], false);
  for (const std::size_t line : {1U, 2U})
    EXPECT_EQ(page::document_of_data(lines[line])["format"], "harness-page");
}

TEST(Html, OfClaimsHoldsFiguresAndTheirWords) {
  Claim claim;
  claim.says = "Fusing makes it 15.2x faster.";
  claim.range.least = 15.2;
  ClaimsReport claims;
  claims.confidence = 0.99;
  claims.claims = {
      {"fusion", claim, ClaimStatus::refuted, ClaimGap::none, "", 1.6, Interval{1.55, 1.7}, "", {}}};
  const nlohmann::json page =
      page::document_of_data(page::data_of(html_page(page::small_template, claims_document(claims))));
  EXPECT_EQ(page["format"], "harness-claims-page");
  const nlohmann::json& one = page["claims"].at(0);
  EXPECT_EQ(one["status"], "refuted");
  EXPECT_EQ(one["range"], nlohmann::json({15.2, nullptr}));
  EXPECT_EQ(one["interval"], nlohmann::json({1.55, 1.7}));
  EXPECT_EQ(one["claimed"], "15.2x or more");
  EXPECT_EQ(one["found"], "1.600x [1.550x, 1.700x]");
  EXPECT_EQ(one["rating"], "excellent");
}

TEST(Html, OfSeveralReportsWithoutATemplateHasASectionEach) {
  const std::string page = Suites().drawn("");
  EXPECT_EQ(times(page, "<section id=\"suite-"), 3U);
  EXPECT_EQ(times(page, "<a href=\"#suite-"), 3U);
  EXPECT_EQ(times(page, "<b>"), 0U);
}

TEST(Html, SharesItsTwoMegabytesAmongReports) {
  const Record record = fixture::many_cases(fixture::h200_record("main"), 40, 1);
  const std::vector<Summary> summaries;
  const Report report = run_document(record, summaries, {{}, {&record, &summaries}, ""});
  std::string heavy(page::small_template);
  heavy.insert(0, std::string(1'850'000, ' '));
  const std::string page = html_page(heavy, {}, {{"one", &report}, {"two", &report}});
  EXPECT_LE(page.size(), largest_page);
  const std::vector<std::string> lines = split(std::string(page::data_of(page)), '\n');
  ASSERT_EQ(lines.size(), 3U);
  for (const std::size_t line : {1U, 2U}) EXPECT_GT(lines[line].size(), 50'000U);
}

TEST(Html, GivesEachReportWhatItNeedsBeforeAnotherHasMore) {
  const std::vector<Summary> summaries;
  const Record light = fixture::many_cases(fixture::h200_record("main"), 40, 1);
  const Record heavy = fixture::many_cases(fixture::h200_record("main"), 250, 1);
  const Report first = run_document(light, summaries, {{}, {&light, &summaries}, ""});
  const Report last = run_document(heavy, summaries, {{}, {&heavy, &summaries}, ""});
  const std::size_t least = first.page(0).size() + last.page(0).size();
  ASSERT_GT(last.page(0).size(), least / 2) << "it fits into half of the room";
  std::string page(page::small_template);
  page.insert(0, std::string(largest_page - least - page.size() - 1000, ' '));
  const std::string drawn = html_page(page, {}, {{"light", &first}, {"heavy", &last}});
  EXPECT_LE(drawn.size(), largest_page);
  EXPECT_GT(drawn.size(), largest_page - 10'000);
}

// Properties of the template that this build carries: exactly the places that are filled, and no network.
TEST(PageTemplate, HasOnePlaceForEach) {
  if (page_template().empty()) GTEST_SKIP() << page_obstacle();
  EXPECT_EQ(page_obstacle(), "");
  EXPECT_EQ(times(page_template(), title_place), 1U);
  EXPECT_EQ(times(page_template(), data_place), 1U);
  EXPECT_LT(page_template().find(title_place), page_template().find(data_place));
  EXPECT_THAT(
      std::string(page_template()),
      HasSubstr("<script id=\"harness-data\" type=\"application/octet-stream\">@HARNESS_DATA@</script>"));
}

TEST(PageTemplate, IsToldMissingWithAdvice) {
  const Status status = check_built(Format::html);
  EXPECT_EQ(status.has_value(), page_obstacle().empty());
  const std::string text = status ? "" : status.error().text();
  EXPECT_THAT(text, status ? HasSubstr("") : HasSubstr("this build has no HTML page: "));
  EXPECT_TRUE(check_built(Format::json).has_value());
}

}  // namespace
}  // namespace harness::report
