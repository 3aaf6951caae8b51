// The content of the reports, whatever their format.
#include "harness/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "golden.h"
#include "harness/base/text.h"

namespace harness {
namespace {

const Style style{false, 100};

std::string terminal(const Comparison& comparison) {
  return render_comparison(comparison, Format::terminal, style);
}

std::size_t times(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::vector<report::Grid> tables_of(const Report& made) {
  std::vector<report::Grid> grids;
  for (const report::Block& block : made.document.blocks)
    if (const auto* table = std::get_if<report::Table>(&block.content)) grids.push_back(table->grid);
  return grids;
}

std::vector<std::string> headers_of(const report::Grid& grid) {
  std::vector<std::string> headers;
  for (const report::Column& column : grid.columns) headers.push_back(column.header);
  return headers;
}

// All cells of a column, from the top.
std::vector<report::Cell> cells_of(const report::Grid& grid, const std::string& header) {
  const std::vector<std::string> headers = headers_of(grid);
  const auto at =
      static_cast<std::size_t>(std::find(headers.begin(), headers.end(), header) - headers.begin());
  std::vector<report::Cell> cells;
  for (const report::Section& section : grid.sections)
    for (const report::GridRow& row : section.rows) cells.push_back(row.cells.at(at));
  return cells;
}

std::vector<report::Grid> run_tables(const std::vector<Summary>& summaries) {
  const Record record = fixture::record();
  return tables_of(report::run_document(record, summaries));
}

// `verdicts` as the rows of an otherwise plain comparison.
Comparison with_verdicts(const std::vector<Verdict>& verdicts) {
  Comparison comparison;
  for (const Verdict verdict : verdicts) {
    ComparisonRow row;
    row.case_id = "case/" + std::to_string(comparison.rows.size());
    row.metric = "gpu_time";
    row.unit = "us";
    row.verdict = verdict;
    comparison.rows.push_back(row);
  }
  comparison.verdict = overall_verdict(comparison.rows);
  return comparison;
}

using enum Verdict;

// The headline and the meaning of the exit code of small comparisons.
TEST(Headline, OfEveryKindOfComparisonIsInAGoldenFile) {
  std::string text;
  const auto add = [&](const char* name, const Comparison& comparison) {
    const report::Document document = report::comparison_document(comparison).document;
    text += std::string(name) + "\n  " + document.headline + "\n  " + document.exit_meaning + "\n";
  };
  add("two of three regressed", with_verdicts({regressed, regressed, unchanged, skipped}));
  add("failed and regressed", with_verdicts({failed, regressed}));
  add("missing", with_verdicts({missing, unchanged}));
  add("not comparable", with_verdicts({not_comparable, not_comparable}));
  add("inconclusive", with_verdicts({inconclusive}));
  add("improved", with_verdicts({improved, unchanged}));
  add("unchanged", with_verdicts({unchanged, unchanged}));
  add("no case", with_verdicts({}));
  add("all skipped", with_verdicts({skipped, skipped}));
  Comparison rate = with_verdicts({regressed});
  rate.rows[0].unit = "GB/s";
  rate.rows[0].direction = Direction::higher_is_better;
  add("a rate", rate);
  Comparison metrics = with_verdicts({regressed, unchanged});
  metrics.rows[1].case_id = metrics.rows[0].case_id;
  metrics.rows[1].metric = "wall_time";
  add("two metrics of a case", metrics);
  Comparison allowed = with_verdicts({missing, inconclusive, unchanged});
  allowed.policy.allow_missing = true;
  add("missing is allowed", allowed);
  allowed.policy.allow_inconclusive = true;
  add("inconclusive is allowed, too", allowed);
  Comparison other = with_verdicts({not_comparable, unchanged});
  other.policy.allow_not_comparable = true;
  add("not comparable is allowed", other);
  EXPECT_TRUE(golden::matches("headlines.txt", text));
}

TEST(Headline, NeverCallsNothingUnchanged) {
  for (const std::vector<Verdict>& verdicts : {std::vector<Verdict>{}, {skipped, skipped}}) {
    const Comparison comparison = with_verdicts(verdicts);
    EXPECT_EQ(exit_code(comparison), 4);
    EXPECT_EQ(report::comparison_document(comparison).document.headline.find("UNCHANGED"), std::string::npos);
  }
}

ComparisonRow& loosen(ComparisonRow& row, bool regressed) {
  row.loosened = LoosenedGate{0.01, 0.01, false, regressed};
  return row;
}

TEST(Headline, SaysThatGatesWereLoosenedAndACiWarns) {
  Comparison comparison = with_verdicts({regressed, unchanged, unchanged});
  const std::string plain = report::comparison_document(comparison).document.headline;
  loosen(comparison.rows[0], true).informative = true;
  comparison.rows[0].ratio = 1.2;
  loosen(comparison.rows[1], false);
  comparison.verdict = overall_verdict(comparison.rows);
  const Report made = report::comparison_document(comparison);
  EXPECT_NE(made.document.headline, plain);
  const report::CiView view = made.ci();
  ASSERT_EQ(view.alerts.size(), 1U);
  EXPECT_EQ(view.alerts[0].alarm, report::Alarm::warning);
  EXPECT_EQ(made.document.next_steps.size(), 1U) << "have that reviewed";
  const auto json = nlohmann::json::parse(made.json());
  EXPECT_EQ(json["gates_loosened"], 2);
  EXPECT_EQ(json["cases"][0]["loosened"]["regressed"], true);
  EXPECT_TRUE(json["cases"][2]["loosened"].is_null());
}

TEST(NextSteps, NameTheCommandOrTheSettingThatHelps) {
  const auto names = [](const std::string& what, Verdict verdict, ReasonCode why,
                        std::optional<int> needed = {}, const std::string& baseline = "r") {
    Comparison comparison = with_verdicts({verdict});
    comparison.baseline.id = baseline;
    comparison.rows[0].reason = {why};
    comparison.rows[0].processes_needed = needed;
    const std::vector<std::string> steps = report::comparison_document(comparison).document.next_steps;
    EXPECT_EQ(steps.size(), 1U) << "one row, one step";
    return !steps.empty() && steps[0].find(what) != std::string::npos;
  };
  EXPECT_TRUE(names("`sampling: processes`", inconclusive, ReasonCode::undecided, 12));
  EXPECT_TRUE(names("`harness ab`", inconclusive, ReasonCode::undecided));
  EXPECT_FALSE(names("`sampling: processes`", inconclusive, ReasonCode::undecided));
  EXPECT_TRUE(names("`sampling: gate_deadline`", inconclusive, ReasonCode::forced_gates));
  EXPECT_TRUE(names("`--allow missing`", missing, ReasonCode::new_case));
  EXPECT_FALSE(names("`harness run`", missing, ReasonCode::new_case));
  EXPECT_TRUE(names("`harness run`", missing, ReasonCode::new_case, {}, ""))
      << "without a baseline every case is new";
}

TEST(NextSteps, NameTheLookToMeasureOnTo) {
  Comparison comparison = with_verdicts({inconclusive});
  comparison.rows[0].processes_needed = 12;
  comparison.rows[0].look = {{5, 10, 20}, 1, 10};
  const std::vector<std::string> steps = report::comparison_document(comparison).document.next_steps;
  ASSERT_EQ(steps.size(), 1U) << "one row, one step";
  EXPECT_NE(steps[0].find("`harness compare --measure`"), std::string::npos);
}

TEST(Github, WarningsDoNotClaimWhatTheErrorsSay) {
  const std::string text =
      render_comparison(with_verdicts({regressed, inconclusive, inconclusive}), Format::github, style);
  EXPECT_EQ(times(text, "exit code 1"), 0U) << "one error alone, and two warnings:\n" << text;
}

TEST(Comparison, ShowsAChangeFromZeroWithItsValues) {
  Comparison comparison = with_verdicts({regressed, unchanged});
  ComparisonRow& row = comparison.rows[0];
  row.unit = "1";
  row.baseline = {5, 0, 0, 0, {}};
  row.current = {5, 0.5, 0, 0, {}};
  comparison.rows[1].ratio = 1;
  const Report made = report::comparison_document(comparison);
  EXPECT_EQ(cells_of(tables_of(made).at(0), "change").at(0).text, "0 -> 0.5000");
  EXPECT_NE(made.ci().cases.at(0).output.find("0 -> 0.5000"), std::string::npos);
  const auto json = nlohmann::json::parse(made.json());
  EXPECT_EQ(json["cases"][0]["baseline"]["center"], 0);
}

TEST(ExitCode, OfWhatMustNotBeComparedHasAnAllowanceOfItsOwn) {
  Comparison comparison = with_verdicts({not_comparable, unchanged});
  comparison.policy.allow_missing = true;
  EXPECT_EQ(exit_code(comparison), 4);
  comparison.policy.allow_not_comparable = true;
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Comparison, NamesTheMetricOfACaseThatHasSeveral) {
  Comparison comparison = with_verdicts({regressed, unchanged});
  comparison.rows[1].case_id = comparison.rows[0].case_id;
  comparison.rows[1].metric = "wall_time";
  comparison.rows[0].ratio = comparison.rows[1].ratio = 1.02;
  const report::Grid grid = tables_of(report::comparison_document(comparison)).at(0);
  EXPECT_EQ(grid.sections.at(0).rows.at(0).name, "case/0 gpu_time");
  EXPECT_EQ(grid.sections.at(1).rows.at(0).name, "case/0 wall_time");
}

TEST(Comparison, TellsOneReasonOnceForManyCases) {
  Comparison comparison = with_verdicts(std::vector<Verdict>(24, skipped));
  for (ComparisonRow& row : comparison.rows) {
    row.reason = {ReasonCode::skipped};
    row.cause = told_cause("there is no GPU here");
  }
  EXPECT_EQ(times(terminal(comparison), "there is no GPU here"), 1U);
  EXPECT_EQ(times(render_comparison(comparison, Format::markdown, style), "there is no GPU here"), 1U);
}

TEST(Comparison, PrintsNoFiguresForARowWithout) {
  Comparison comparison = with_verdicts({missing});
  comparison.rows[0].reason = {ReasonCode::new_case};
  EXPECT_TRUE(tables_of(report::comparison_document(comparison)).at(0).sections.empty());
  const auto json = nlohmann::json::parse(render_comparison(comparison, Format::json, style));
  EXPECT_TRUE(json["cases"][0]["ratio"].is_null());
  EXPECT_TRUE(json["cases"][0]["interval"].is_null());
  EXPECT_TRUE(json["cases"][0]["p_adjusted"].is_null());
  EXPECT_EQ(json["cases"][0]["processes"], nlohmann::json::array({0, 0}));
}

TEST(Comparison, PutsNullWhereJsonHasNoNumber) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Comparison comparison = fixture::comparison();
  for (ComparisonRow& row : comparison.rows) {
    row.ratio = row.margin = row.baseline.center = nan;
    row.interval = Interval{-infinity, infinity};
    row.p = row.p_adjusted = row.minimum_detectable = nan;
    row.baseline.process_values = {nan, infinity};
  }
  const std::string text = render_comparison(comparison, Format::json, style);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_TRUE(json["cases"][0]["ratio"].is_null());
  EXPECT_EQ(json["cases"][0]["interval"], nlohmann::json::array({nullptr, nullptr}));
  EXPECT_TRUE(tables_of(report::comparison_document(comparison)).at(0).sections.empty());
}

TEST(ComparisonJson, HasTheKeysThatOtherToolsReadInTheOrderOfTheRows) {
  const auto json = nlohmann::json::parse(render_comparison(fixture::comparison(), Format::json, style));
  EXPECT_EQ(json["format"], "harness-comparison");
  EXPECT_EQ(json["verdict"], "regressed");
  EXPECT_EQ(json["exit_code"], 1);
  const auto& first = json["cases"][0];
  for (const char* key : {"case", "metric", "verdict", "ratio", "interval", "p", "p_adjusted", "processes",
                          "margin", "alpha", "minimum_detectable", "reason", "advice"})
    EXPECT_TRUE(first.contains(key)) << key;
  EXPECT_DOUBLE_EQ(first["ratio"].get<double>(), 1.0412);
  EXPECT_EQ(first["interval"].size(), 2U);
  EXPECT_EQ(json["cases"].size(), fixture::comparison().rows.size());
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

TEST(Plan, TellsOneReasonOnceForManyCases) {
  Plan plan = fixture::plan();
  for (PlannedCase& one : plan.cases) one.skip = told_cause("there is no GPU here");
  EXPECT_EQ(times(render_plan(plan, Format::terminal, style), "there is no GPU here"), 1U);
}

TEST(Plan, ShowsWhatDiffersFromCaseToCase) {
  Plan plan = fixture::plan();
  const std::size_t before = headers_of(tables_of(report::plan_document(plan)).at(0)).size();
  plan.cases[0].gate.margin = 0.005;
  plan.cases[1].sampling.processes = 9;
  const report::Grid grid = tables_of(report::plan_document(plan)).at(0);
  EXPECT_EQ(headers_of(grid).size(), before + 2);
  EXPECT_NE(cells_of(grid, "gate").at(0).text.find("0.5 %"), std::string::npos);
  EXPECT_EQ(cells_of(grid, "sampling").at(1).text, "9 x 5 x 50 cold");
}

TEST(Plan, NamesEveryMetricInFull) {
  const std::string counter = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum.per_second";
  Plan plan = fixture::plan();
  plan.counters = "looked up for GH100";
  for (PlannedCase& one : plan.cases) one.metrics = {"time", "error", counter};
  for (const Format format : {Format::terminal, Format::markdown}) {
    const auto text = [&] {
      std::string whole = render_plan(plan, format, style);
      for (std::size_t at = whole.find("&#95;"); at != std::string::npos; at = whole.find("&#95;"))
        whole.replace(at, 5, "_");
      return whole;
    };
    EXPECT_EQ(times(text(), counter), 1U) << text();
    plan.cases[0].metrics = {"time", counter, "dram__bytes_read.sum"};
    EXPECT_EQ(times(text(), counter), 1U) << text();
    plan.cases[0].metrics = plan.cases[1].metrics;
  }
}

TEST(EmptyInputs, AreRendered) {
  for (const Format format : {Format::terminal, Format::markdown, Format::json}) {
    EXPECT_FALSE(render_plan({}, format, style).empty());
    EXPECT_FALSE(render_run({}, {}, format, style).empty());
    EXPECT_FALSE(render_comparison({}, format, style).empty());
  }
}

TEST(Colour, IsThereOnlyWhenAskedFor) {
  EXPECT_EQ(terminal(fixture::comparison()).find('\x1b'), std::string::npos);
  const std::string coloured = render_comparison(fixture::comparison(), Format::terminal, {true, 100});
  EXPECT_TRUE(coloured.starts_with("\x1b[1;31m"));
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  }
  EXPECT_EQ(plain, terminal(fixture::comparison()));
}

}  // namespace
}  // namespace harness
