// The content of a run's report, whatever its format.
#include "harness/report/report.h"

#include <gtest/gtest.h>

#include <map>

#include "fixture.h"
#include "grids.h"
#include "harness/base/text.h"
#include "harness/model/known_metrics.h"

namespace harness {
namespace {

std::vector<report::Grid> run_tables(const std::vector<Summary>& summaries) {
  const Record record = fixture::record();
  return tables_of(report::run_document(record, summaries));
}

// The remark on first calls, or "".
std::string remark_of(const std::vector<Summary>& summaries) {
  const Record record = fixture::record();
  for (const report::Block& block : report::run_document(record, summaries).document.blocks)
    if (const auto* prose = std::get_if<report::Prose>(&block.content);
        prose != nullptr && block.place == report::Place::normal)
      return prose->lines.at(0);
  return {};
}

TEST(Run, SaysWhatAColdMeanWouldHaveClaimedOnlyWithFirstCalls) {
  std::vector<Summary> summaries = fixture::summaries();
  // 12.43 us against 15.97 us, and 61240 us against 311.2 us once, in 50 calls: 1236.98 / 21.87.
  EXPECT_NE(remark_of(summaries).find("56.5x"), std::string::npos);
  for (Summary& summary : summaries) summary.first_call.reset();
  EXPECT_EQ(remark_of(summaries), "");
}

TEST(Run, SpeaksOfTimeWhereThereAreNoSpeedups) {
  std::vector<Summary> summaries = fixture::summaries();
  summaries.resize(1);
  EXPECT_NE(remark_of(summaries).find("1.237 ms"), std::string::npos);
}

// The outcomes that a run lists without figures, with the number of cases of each.
std::map<std::string, std::size_t> unmeasured_of(const std::vector<Summary>& summaries) {
  std::map<std::string, std::size_t> counts;
  const Record record = fixture::record();
  for (const report::Block& block : report::run_document(record, summaries).document.blocks)
    if (const auto* reasons = std::get_if<report::Reasons>(&block.content);
        reasons != nullptr && reasons->cases > 0)
      counts[reasons->heading] = reasons->cases;
  return counts;
}

TEST(Run, ShowsNoFigureOfACaseThatWasNotMeasured) {
  std::vector<Summary> summaries = fixture::summaries();
  for (Summary& summary : summaries)
    if (summary.outcome == Outcome::measured) {
      summary.outcome = Outcome::incorrect;
      summary.reason = told_cause("off by 1");
    }
  const std::map<std::string, std::size_t> expected{{"INCORRECT", 6}, {"skipped", 5}};
  EXPECT_EQ(unmeasured_of(summaries), expected);
  EXPECT_TRUE(run_tables(summaries).empty());
}

TEST(Run, DoesNotHideACaseThatHasNoSamples) {
  std::vector<Summary> summaries = fixture::summaries();
  summaries[0].samples = 0;
  EXPECT_EQ(unmeasured_of(summaries)["WITHOUT SAMPLES"], 1U);
}

TEST(Run, FlagsAShareAboveItsCeiling) {
  std::vector<Summary> summaries = fixture::summaries();
  EXPECT_EQ(cells_of(run_tables(summaries).at(0), "of ceiling").at(3).paint, report::Paint::plain);
  summaries[3].share_of_ceiling = 1.31;
  const report::Cell cell = cells_of(run_tables(summaries).at(0), "of ceiling").at(3);
  EXPECT_EQ(cell.text, "131 % compute !");
  EXPECT_EQ(cell.paint, report::Paint::doubtful);
}

TEST(Run, GivesEachMetricATableOfItsOwn) {
  std::vector<Summary> summaries = fixture::summaries();
  const std::size_t before = run_tables(summaries).size();
  Summary other = summaries[0];
  other.metric = "bandwidth";
  other.unit = "GB/s";
  summaries.push_back(other);
  EXPECT_EQ(run_tables(summaries).size(), before + 1);
}

TEST(Run, ShowsMetricsThatDecideBeforeThoseThatOnlyInform) {
  const Record record = fixture::record();
  std::vector<Summary> summaries = fixture::summaries();
  Summary setup = summaries[0];
  setup.metric = setup_time_metric.name;
  summaries.insert(summaries.begin(), setup);
  const std::string text = render_run(record, summaries, Format::terminal);
  EXPECT_LT(text.find("\ngpu_time"), text.find("\nsetup_time"));
}

// A series of another metric, the same in every sample, `gain` times better than its reference.
Summary constant(const Summary& time, double value, double gain) {
  Summary summary = time;
  summary.metric = "buffer_memory";
  summary.unit = "bytes";
  summary.center = summary.median = summary.mean = summary.min = summary.max = summary.p95 = summary.p99 =
      value;
  summary.sd = summary.cv = summary.process_sd = 0;
  summary.flops_per_s = summary.bytes_per_s = summary.items_per_s = 0;
  summary.first_call.reset();
  summary.share_of_ceiling.reset();
  summary.diagnostics.clear();
  if (summary.speedup) summary.speedup->ratio = gain;
  return summary;
}

TEST(Run, ShowsOneValueWhereEverySampleIsTheSame) {
  std::vector<Summary> summaries = fixture::summaries();
  const std::size_t count = summaries.size();
  for (std::size_t i = 0; i < count; ++i)
    if (summaries[i].samples > 0) summaries.push_back(constant(summaries[i], 114944, 293));
  const report::Grid grid = run_tables(summaries).at(1);
  EXPECT_EQ(headers_of(grid), (std::vector<std::string>{"value", "gain"}));
  EXPECT_EQ(cells_of(grid, "value").at(1).text, "114944");
  EXPECT_EQ(cells_of(grid, "gain").at(1).text, "293x");
  EXPECT_GT(headers_of(run_tables(summaries).at(0)).size(), 10U) << "a time has all its columns";
}

TEST(Run, DoesNotSayThatNothingIsGained) {
  std::vector<Summary> summaries = fixture::summaries();
  const std::size_t count = summaries.size();
  for (std::size_t i = 0; i < count; ++i)
    if (summaries[i].samples > 0) summaries.push_back(constant(summaries[i], 1.25, 1));
  EXPECT_EQ(headers_of(run_tables(summaries).at(1)), std::vector<std::string>{"value"});
}

TEST(Run, ShowsTheWholeTableOfATimeWithoutSpreadAndOfAMetricWithSome) {
  std::vector<Summary> summaries = fixture::summaries();
  summaries.resize(1);
  Summary odd = constant(summaries[0], 5, 1);
  odd.max = 6;
  odd.sd = 0.1;
  summaries[0].sd = 0;
  summaries[0].min = summaries[0].max = summaries[0].median;
  summaries.push_back(odd);
  for (const report::Grid& grid : run_tables(summaries)) EXPECT_GT(headers_of(grid).size(), 10U);
}

TEST(Run, TellsANoteOfManyCasesOnceWithTheFiguresOfEach) {
  std::vector<Summary> summaries = fixture::summaries();
  for (Summary& summary : summaries) summary.diagnostics.clear();
  summaries[0].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 13.66}, {"kernels_us", 20.0}}}};
  summaries[1].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 8.4}, {"kernels_us", 20.0}}}};
  const Record record = fixture::record();
  const Report made = report::run_document(record, summaries);
  const auto& notes = std::get<report::Reasons>(made.document.blocks.back().content);
  ASSERT_EQ(notes.groups.size(), 1U);
  EXPECT_EQ(notes.groups[0].ids.size(), 2U);
  EXPECT_EQ(notes.groups[0].figures, (std::vector<std::string>{"13.66", "8.4"}));
}

TEST(Run, ShortensANameBeforeItsFigures) {
  std::vector<Summary> summaries = fixture::summaries();
  for (Summary& summary : summaries) summary.diagnostics.clear();
  summaries[0].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 13.66}, {"kernels_us", 20.0}}}};
  summaries[1].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 8.4}, {"kernels_us", 20.0}}}};
  const std::string text = render_run(fixture::record(), summaries, Format::terminal, {.width = 50});
  EXPECT_NE(text.find("  13.66\n"), std::string::npos);
  for (const std::string& line : split(text.substr(text.find("\nnotes")), '\n'))
    EXPECT_LE(display_width(line), 50U) << line;
}

TEST(Run, IsAnErrorInACiUntilItIsFinished) {
  Record record = fixture::record();
  record.finished.clear();
  const std::vector<Summary> summaries = fixture::summaries();
  const report::CiView view = report::run_document(record, summaries).ci();
  EXPECT_EQ(view.cases.back().code, "unfinished");
  EXPECT_EQ(view.alerts.at(0).alarm, report::Alarm::error);
}

}  // namespace
}  // namespace harness
