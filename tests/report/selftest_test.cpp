// A selftest as text: what passed, what failed, and every rate with its bounds.
#include "harness/report/documents/selftest_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/text.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::Not;

SelftestReport report_with(double lower_bound) {
  SelftestReport report;
  report.splits = 1000;
  report.seed = 7;
  report.margin = report.alpha = 0.01;
  report.found_change = 0.03;
  report.cases = 20;
  SelftestRow row;
  row.noise = "AR(1) 0.9";
  row.plan = "looks 5/10/20";
  row.called = {200, 10000, 0.01, {lower_bound, 0.024}, lower_bound};
  row.unchanged_red = row.family_called = row.passed = {0, 1000, 0.01, {0, 0.0053}, 0};
  row.found = {90, 100, 1, {0.8, 0.96}, 0.7};
  report.rows = {row, row};
  report.rows[1].plan = "P = 16";
  report.rows[1].called = row.passed;
  return report;
}

SelftestReport run_report() {
  SelftestReport report;
  SelftestRun run;
  run.suite = "fusion";
  run.device = "nvidia-h200 GPU-1";
  run.processes = 5;
  run.red = {3, 1000, 0.01, {0.0003, 0.01}, 0.0003};
  run.cases = {{"gelu/n=1", "gpu_time", 3}, {"gelu/n=2\x1b[31m|<b>", "gpu_time", 0}};
  report.runs.push_back(run);
  return report;
}

TEST(SelftestText, SaysWhichRowsFailed) {
  const std::string text = render_selftest(report_with(0.017), Format::terminal, {});
  EXPECT_THAT(text, HasSubstr("FAILED: 1 of 2 rows are wrong more often than they may be"));
  EXPECT_THAT(text, HasSubstr("2.00 [1.7, 2.4]"));
  EXPECT_THAT(text, HasSubstr("1000 suites of 20 cases a row, seed 7"));
  EXPECT_THAT(render_selftest(report_with(0.009), Format::terminal, {}),
              HasSubstr("PASSED: no error rate is shown to lie above its limit"));
}

TEST(SelftestText, FitsTheTerminal) {
  for (const int width : {60, 80, 100, 160})
    for (const SelftestReport& report : {report_with(0.017), run_report()})
      for (const std::string& line : split(render_selftest(report, Format::terminal, {false, width}), '\n'))
        EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
}

TEST(SelftestText, TellsOfARunCaseByCaseAndEscapesNames) {
  const std::string text = render_selftest(run_report(), Format::terminal, {});
  EXPECT_THAT(text, HasSubstr("3 of 1000"));
  EXPECT_THAT(text, HasSubstr("5 processes a side; splits share processes"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  const std::string markdown = render_selftest(run_report(), Format::markdown, {});
  EXPECT_THAT(markdown, Not(HasSubstr("<b>")));
  EXPECT_THAT(markdown, HasSubstr("fusion"));
}

TEST(SelftestJson, HoldsCountsLimitsAndBounds) {
  const auto json = nlohmann::json::parse(render_selftest(report_with(0.017), Format::json, {}));
  EXPECT_EQ(json["format"], "harness-selftest");
  EXPECT_EQ(json["version"], 1);
  EXPECT_FALSE(json["passed"].get<bool>());
  const auto& rate = json["simulated"][0]["at_margin_called_regressed"];
  EXPECT_EQ(rate["hits"], 200);
  EXPECT_EQ(rate["trials"], 10000);
  EXPECT_TRUE(rate["exceeds"].get<bool>());
  EXPECT_TRUE(json["simulated"][1]["passed"].get<bool>());
  const auto run = nlohmann::json::parse(render_selftest(run_report(), Format::json, {}));
  EXPECT_TRUE(run["passed"].get<bool>());
  EXPECT_EQ(run["runs"][0]["cases"][0]["called_regressed"], 3);
}

}  // namespace
}  // namespace harness
