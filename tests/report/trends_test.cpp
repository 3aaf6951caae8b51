// Histories, bisections and calibrations: what their documents and JSON hold, and how trends are drawn.
#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/report/documents.h"
#include "harness/report/sparkline.h"
#include "harness/study/change_clusters.h"
#include "page_reader.h"
#include "studies.h"

namespace harness {
namespace {

using fixture::drawn;
using report::sparkline;
using Json = nlohmann::json;

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

TEST(History, ListsWhatGotWorseWithACommandThatFindsTheCommit) {
  const HistoryReport history = fixture::history();
  const Report report = report::history_document(history);
  EXPECT_EQ(report.document.tone, report::Paint::bad);
  const auto& findings = std::get<report::Findings>(report.document.blocks[1].content);
  ASSERT_EQ(findings.items.size(), 1U);
  EXPECT_EQ(findings.items[0].label, "worse");
  EXPECT_EQ(findings.items[0].advice.size(), 3U);  // the newest result, the change, the command
  const report::CiView view = report.ci();
  ASSERT_EQ(view.cases.size(), 1U);
  EXPECT_EQ(view.cases[0].state, report::CiState::failure);
  EXPECT_EQ(view.cases[0].alarm, report::Alarm::error);
}

TEST(History, WithoutAChangeIsGreenAndSaysSoOnce) {
  HistoryReport history = fixture::history();
  history.trends[0].newest->worse = false;
  history.trends[0].changes.clear();
  const report::CiView view = report::history_document(history).ci();
  EXPECT_EQ(view.cases[0].state, report::CiState::passed);
  ASSERT_EQ(view.alerts.size(), 1U);
  EXPECT_EQ(view.alerts[0].alarm, report::Alarm::notice);
  history.trends.clear();
  EXPECT_FALSE(report::history_document(history).document.headline.empty());
}

// The packed texts of a history's page.
std::vector<Json> texts_of(const std::string& data) {
  EXPECT_TRUE(data.ends_with('.'));
  std::vector<Json> texts;
  for (const std::string& one : split(data.substr(0, data.size() - 1), '.'))
    texts.push_back(page::document_of_data(one));
  return texts;
}

TEST(History, HasAPageWithTheVerdictOfEachCommit) {
  HistoryReport history = fixture::history();
  history.trends[0].points.front().record = "first";
  const Trend& trend = history.trends[0];
  const report::HistoryExtras extras{
      {{{trend.points.back().record, trend.case_id}, "regressed"}}, {}, {"https://git/{commit}", ""}};
  EXPECT_FALSE(report::history_document(history).page) << "without extras it is a plain page";
  const Report report = report::history_document(history, &extras);
  const std::vector<Json> whole = texts_of(report.page(1'000'000));
  EXPECT_EQ(whole[0]["headline"], report.document.headline);
  EXPECT_EQ(whole[0]["tone"], "bad");
  EXPECT_EQ(whole[0]["links"]["commit"], "https://git/{commit}");
  EXPECT_EQ(whole[0]["facts"][0], Json({"suite", history.suite}));
  const Json& row = whole[0]["rows"][0];
  EXPECT_EQ(row["case"], trend.case_id);
  EXPECT_EQ(row["finding"], "worse");
  EXPECT_EQ(row["measured"], trend.points.size());
  const Json& points = whole[1][0];
  EXPECT_EQ(points["margin"], trend.margin);
  EXPECT_EQ(points["verdicts"].size(), trend.points.size());
  EXPECT_EQ(points["verdicts"].front(), "");
  EXPECT_EQ(points["verdicts"].back(), "regressed");
  EXPECT_EQ(points["told"].size(), 3U) << "as the terminal has it";
  const Json& first = whole[0]["commits"][points["at"].front().get<std::size_t>()];
  EXPECT_EQ(first[0], trend.points.front().commit);
  EXPECT_EQ(first[3], "first");
  history.trends[0].informative = true;
  const Json informing = texts_of(report::history_document(history, &extras).page(1'000'000))[1];
  for (const Json& one : informing)
    EXPECT_EQ(one["verdicts"].back(), "") << "the verdict is that of another metric";
  history.trends[0].informative = false;
  const std::vector<Json> none = texts_of(report.page(0));
  ASSERT_EQ(none.size(), 1U) << "where there is no room, there are no points";
  EXPECT_EQ(none[0]["rows"].size(), history.trends.size());
}

TEST(History, TellsOneCauseOnItsPageWithTheRowsThatItChanged) {
  HistoryReport history = fixture::history();
  Trend calm = history.trends[0];
  calm.case_id = "calm";
  calm.changes.clear();
  calm.creep.reset();
  calm.newest->worse = false;
  history.trends.insert(history.trends.begin(), calm);
  history.trends.push_back(history.trends[1]);
  history.trends[2].case_id = "slower, too";
  const report::HistoryExtras extras{{}, cluster_changes(history.trends), {}};
  ASSERT_EQ(extras.causes.size(), 1U);
  const Json head = texts_of(report::history_document(history, &extras).page(0))[0];
  EXPECT_EQ(head["rows"][2]["case"], "calm") << "what got worse comes first";
  ASSERT_EQ(head["causes"].size(), 1U);
  const Json& cause = head["causes"][0];
  EXPECT_EQ(cause["worse"], true);
  ASSERT_EQ(cause["members"].size(), 2U);
  const TrendChange& change = history.trends[1].changes[0];
  for (const Json& member : cause["members"]) {
    EXPECT_NE(head["rows"][member[0].get<std::size_t>()]["case"], "calm");
    EXPECT_EQ(head["commits"][member[1].get<std::size_t>()][0], change.first);
    EXPECT_NEAR(member[2].get<double>(), change.ratio, 1e-5);
  }
}

TEST(History, UnpacksFewPointsAtOnce) {
  HistoryReport history = fixture::history();
  Trend one = history.trends[0];
  one.points.resize(1000, one.points.back());
  history.trends.assign(50, one);
  const report::HistoryExtras extras;
  const std::vector<Json> texts = texts_of(report::history_document(history, &extras).page(1));
  const std::size_t block = texts[0]["block"];
  EXPECT_EQ(block, 20U);
  ASSERT_EQ(texts.size(), 1 + (50 + block - 1) / block);
  EXPECT_EQ(texts[1].size(), block);
  EXPECT_EQ(texts.back().size(), 50 % block);
}

TEST(History, NeedsNoUnicode) {
  Style style;
  style.unicode = false;
  for (const char c : drawn("history", Format::terminal, style))
    EXPECT_LT(static_cast<unsigned char>(c), 128);
}

TEST(History, IsDocumentedJson) {
  HistoryReport history = fixture::history();
  history.trends.front().session_sd = 0.004;
  const Json json = Json::parse(report::history_document(history).json());
  EXPECT_EQ(json["format"], "harness-history");
  EXPECT_EQ(json["version"], 1);
  const auto& series = json["series"][0];
  EXPECT_EQ(series["points"].size(), 12U);
  EXPECT_EQ(series["changes"][0]["unmeasured"], 4);
  EXPECT_EQ(series["worse"], true);
  EXPECT_EQ(series["session_sd"], 0.004);
  EXPECT_TRUE(series["creep"].is_null());
  EXPECT_DOUBLE_EQ(series["newest"]["ratio"], 1.04);
}

TEST(Bisection, FailsTheCulpritOfACiAndNoOther) {
  BisectReport bisection = fixture::bisection();
  report::CiView view = report::bisect_document(bisection).ci();
  ASSERT_EQ(view.cases.size(), 2U);
  EXPECT_EQ(view.cases[0].state, report::CiState::failure);
  EXPECT_EQ(view.cases[1].state, report::CiState::skipped);
  bisection.culprits.insert(bisection.culprits.begin(), bisection.good);
  view = report::bisect_document(bisection).ci();
  EXPECT_EQ(view.cases[0].state, report::CiState::passed) << "two commits could be the culprit";
  EXPECT_EQ(view.alerts.at(0).alarm, report::Alarm::error);
}

TEST(Bisection, IsDocumentedJson) {
  const Json json = Json::parse(drawn("bisection", Format::json));
  EXPECT_EQ(json["format"], "harness-bisect");
  EXPECT_EQ(json["steps"][0]["verdict"], "regressed");
  EXPECT_TRUE(json["steps"][1]["ratio"].is_null());
}

TEST(Calibration, IsDocumentedJson) {
  const Json json = Json::parse(drawn("calibration", Format::json));
  EXPECT_EQ(json["format"], "harness-calibration");
  EXPECT_EQ(json["cases"][0]["proposed"]["processes"], 8);
  EXPECT_TRUE(json["cases"][0]["device"].is_null());
}

// Two rows of one case would else look alike.
TEST(Calibration, OfSeveralMetricsNamesThemInNarrowTerminals) {
  CalibrationReport one = fixture::calibration("fusion");
  const auto priority_of_metric = [](const CalibrationReport& report) {
    const Report drawn = report::calibration_document(report);
    const report::Column& column = std::get<report::Table>(drawn.document.blocks[0].content).grid.columns[0];
    EXPECT_EQ(column.header, "metric");
    return column.priority;
  };
  EXPECT_GT(priority_of_metric(one), 0);
  one.cases.push_back(one.cases.front());
  one.cases.back().metric = "peak_memory";
  EXPECT_EQ(priority_of_metric(one), 0) << "never left out";
}

}  // namespace
}  // namespace harness
