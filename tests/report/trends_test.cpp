// Histories, bisections and calibrations as text: what they say, that they fit, that names cannot do harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/report/documents/bisect_document.h"
#include "harness/report/documents/calibration_document.h"
#include "harness/report/documents/history_document.h"
#include "harness/report/sparkline.h"

namespace harness {
namespace {

using report::sparkline;
using testing::HasSubstr;
using testing::Not;

const std::string hostile = "a\x1b[31m|<b>`@x\nb";

HistoryReport history(const std::string& name = "gelu/n=1") {
  Trend trend;
  trend.case_id = name;
  trend.device = "cuda";
  trend.machine_class = "nvidia-h200";
  trend.device_uuid = "GPU-1";
  trend.metric = "gpu_time";
  trend.unit = "us";
  trend.margin = 0.02;
  trend.alpha = 0.01;
  for (int i = 0; i < 60; ++i) {
    TrendPoint point;
    point.commit = std::string(39, 'a') + static_cast<char>('a' + i % 6);
    point.commit[0] = static_cast<char>('a' + i / 6);
    point.date = "2026-11-20T05:40:00Z";
    point.subject = name;
    point.distance = 59 - i;
    point.processes = 5;
    point.center = i < 30 ? 100 : 104;
    point.interval = Interval{point.center * 0.999, point.center * 1.001};
    trend.points.push_back(point);
  }
  trend.anchor = TrendAnchor{"pinned baselines/" + name, trend.points[0].commit, 59, 5, 100};
  trend.newest = TrendStanding{1.04, {1.038, 1.042}, 1e-9, 2e-9, true};
  trend.changes.push_back({30,
                           trend.points[29].commit,
                           trend.points[30].commit,
                           4,
                           1.04,
                           {1.039, 1.041},
                           0.001,
                           0.002,
                           true,
                           true,
                           true});
  HistoryReport report;
  report.suite = name;
  report.branch = "main";
  report.head = trend.points.back().commit;
  report.commits = 70;
  report.measured = 60;
  report.alpha = 0.01;
  report.session_sd = 0.001;
  report.notes = {"1 record was passed over: a calibration"};
  report.trends.push_back(std::move(trend));
  return report;
}

TEST(Sparklines, RiseWithTheValues) {
  const std::vector<double> values{1, 2, 4, 8, 16, 32, 64, 128};
  EXPECT_EQ(sparkline(values, 8, 0, true), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline(values, 8, 0, false), "_.-~=+*#");
  EXPECT_EQ(sparkline(std::vector<double>{128, 1}, 8, 0, true), "█▁");
}

TEST(Sparklines, FitTheirColumns) {
  const std::vector<double> values(1000, 3.0);
  for (const std::size_t columns : {1UL, 7UL, 40UL, 999UL})
    EXPECT_EQ(display_width(sparkline(values, columns, 0.1, true)), columns);
  EXPECT_EQ(display_width(sparkline(std::vector<double>{1, 2}, 40, 0.1, true)), 2U);
  EXPECT_EQ(sparkline(values, 0, 0.1, true), "");
  EXPECT_EQ(sparkline(std::vector<double>{}, 9, 0.1, true), "");
  EXPECT_EQ(sparkline(std::vector<double>{-1, 0, 5}, 9, 0.1, true), "▅") << "only what has a logarithm";
}

TEST(Sparklines, ShowNoiseWithinTheMarginAsFlat) {
  const std::vector<double> values{100, 100.1, 99.9, 100};
  const std::string flat = sparkline(values, 9, 0.04, true);
  EXPECT_EQ(flat.find("▁"), std::string::npos) << flat;
  EXPECT_EQ(flat.find("█"), std::string::npos) << flat;
}

TEST(HistoryText, SaysWhatGotWorseAndWhere) {
  const std::string text = render_history(history(), Format::terminal, {false, 200}, true);
  EXPECT_THAT(text, HasSubstr("WORSE: 1 of 1 series got worse since the anchor"));
  EXPECT_THAT(text, HasSubstr("gpu_time in us, nvidia-h200 GPU-1"));
  EXPECT_THAT(text, HasSubstr("4 commits before"));
  EXPECT_THAT(text, HasSubstr("harness bisect SUITE --good eaaaaaaaaa --bad faaaaaaaaa"));
  EXPECT_THAT(text, HasSubstr("passed over: a calibration"));
}

TEST(HistoryText, SaysWhatSessionsDifferBy) {
  HistoryReport report = history();
  const Style wide{false, 200};
  EXPECT_THAT(render_history(report, Format::terminal, wide, true), HasSubstr("sd between sessions 0.1 %"));
  report.trends.front().session_sd = 0.004;
  EXPECT_THAT(render_history(report, Format::terminal, wide, true),
              HasSubstr("sd between sessions 0.40 % to 0.40 %, from calibrations"));
  const auto json = nlohmann::json::parse(render_history(report, Format::json, {}, true));
  EXPECT_EQ(json["series"][0]["session_sd"], 0.004);
}

TEST(HistoryText, FitsTheTerminalAndItsCharacters) {
  for (const int width : {60, 80, 100, 200})
    for (const std::string& line :
         split(render_history(history(), Format::terminal, {false, width}, true), '\n'))
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
  for (const char c : render_history(history(), Format::terminal, {}, false))
    EXPECT_LT(static_cast<unsigned char>(c), 128) << "without UTF-8, ASCII alone";
}

TEST(HistoryText, KeepsHostileNamesHarmless) {
  const HistoryReport report = history(hostile);
  EXPECT_THAT(render_history(report, Format::terminal, {}, true), Not(HasSubstr("\x1b[31m")));
  const std::string markdown = render_history(report, Format::markdown, {}, true);
  EXPECT_THAT(markdown, Not(HasSubstr("<b>")));
  EXPECT_THAT(markdown, Not(HasSubstr("\x1b")));
  const auto json = nlohmann::json::parse(render_history(report, Format::json, {}, true));
  EXPECT_EQ(json["series"][0]["case"], hostile);
}

TEST(HistoryText, IsDocumentedJson) {
  const auto json = nlohmann::json::parse(render_history(history(), Format::json, {}, true));
  EXPECT_EQ(json["format"], "harness-history");
  EXPECT_EQ(json["version"], 1);
  const auto& series = json["series"][0];
  EXPECT_EQ(series["points"].size(), 60U);
  EXPECT_EQ(series["changes"][0]["unmeasured"], 4);
  EXPECT_EQ(series["worse"], true);
  EXPECT_TRUE(series["creep"].is_null());
  EXPECT_DOUBLE_EQ(series["newest"]["ratio"], 1.04);
}

TEST(HistoryText, SaysWhenThereIsNothing) {
  HistoryReport empty = history();
  empty.trends.clear();
  EXPECT_THAT(render_history(empty, Format::terminal, {}, true), HasSubstr("no results on this branch"));
}

BisectReport bisect(const std::string& name) {
  BisectReport report;
  report.suite = "demo";
  report.cases = {name};
  const BisectCommit good{std::string(40, 'a'), "2026-11-20T05:40:00Z", name, name};
  const BisectCommit bad{std::string(40, 'b'), "2026-11-21T05:40:00Z", "Ann", "make it slow"};
  report.good = good;
  report.bad = bad;
  ComparisonRow row;
  row.case_id = name;
  row.verdict = Verdict::regressed;
  row.ratio = 1.05;
  row.interval = Interval{1.04, 1.06};
  row.baseline.processes = row.current.processes = 5;
  report.steps = {{bad, BisectStep::Result::bad, "", true, row},
                  {good, BisectStep::Result::skipped, "the build failed: " + name, false, std::nullopt}};
  report.culprits = {bad};
  return report;
}

TEST(BisectText, ShowsItsEvidenceAndTheCulprit) {
  const std::string text = render_bisect(bisect("c"), Format::terminal, {});
  EXPECT_THAT(text, HasSubstr("bbbbbbbbbb is the first commit that is worse"));
  EXPECT_THAT(text, HasSubstr("+5.00 %"));
  EXPECT_THAT(text, HasSubstr("[+4.00 %, +6.00 %]"));
  EXPECT_THAT(text, HasSubstr("make it slow"));
  EXPECT_THAT(text, HasSubstr("the build failed"));
  BisectReport range = bisect("c");
  range.culprits.insert(range.culprits.begin(), range.good);
  EXPECT_THAT(render_bisect(range, Format::terminal, {}), HasSubstr("one of 2 commits is the first"));
}

TEST(BisectText, KeepsHostileNamesHarmless) {
  EXPECT_THAT(render_bisect(bisect(hostile), Format::terminal, {}), Not(HasSubstr("\x1b[31m")));
  EXPECT_THAT(render_bisect(bisect(hostile), Format::markdown, {}), Not(HasSubstr("<b>")));
  const auto json = nlohmann::json::parse(render_bisect(bisect(hostile), Format::json, {}));
  EXPECT_EQ(json["format"], "harness-bisect");
  EXPECT_EQ(json["steps"][0]["verdict"], "regressed");
  EXPECT_TRUE(json["steps"][1]["ratio"].is_null());
}

CalibrationReport calibration(const std::string& name) {
  CalibrationReport report;
  report.suite = name;
  report.machine_class = "nvidia-h200";
  report.records = 3;
  report.splits = 1000;
  report.split_processes = 5;
  report.suite_alarms = 1;
  report.alarm_bound = 0.0055;
  CalibratedCase one;
  one.case_id = name;
  one.metric = "gpu_time";
  one.process = {0.0031, 20, {0.002, 0.004}};
  one.session = Spread{0.0005, 2, {0, 0.001}};
  one.session_sd = 0.0008;
  one.planned_processes = 5;
  one.planned_placements = 5;
  one.margin = 0.01;
  one.detectable = 0.018;
  one.proposal = Proposal{8, 2, 0.01, true};
  report.cases.push_back(one);
  report.notes = {name};
  return report;
}

TEST(CalibrationText, ShowsSpreadsAlarmsAndProposals) {
  const std::string text = render_calibration(calibration("c"), Format::terminal, {false, 200});
  for (const char* part : {"1 of 1000 random splits with 5 processes", "0.55 %", "0.31 %", "[0.20 %, 0.40 %]",
                           "0.05 %", "5 x 5, 1 %", "8 x 2, 1 %"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(CalibrationText, KeepsHostileNamesHarmless) {
  EXPECT_THAT(render_calibration(calibration(hostile), Format::terminal, {}), Not(HasSubstr("\x1b[31m")));
  EXPECT_THAT(render_calibration(calibration(hostile), Format::markdown, {}), Not(HasSubstr("<b>")));
  const auto json = nlohmann::json::parse(render_calibration(calibration(hostile), Format::json, {}));
  EXPECT_EQ(json["format"], "harness-calibration");
  EXPECT_EQ(json["cases"][0]["proposed"]["processes"], 8);
  EXPECT_TRUE(json["cases"][0]["device"].is_null());
}

}  // namespace
}  // namespace harness
