// The content of the reports, whatever their format.
#include "harness/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "harness/base/text.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Style style{false, 100};

std::string terminal(const Comparison& comparison) {
  return render_comparison(comparison, Format::terminal, style);
}

std::string terminal_run(const std::vector<Summary>& summaries) {
  return render_run(fixture::record(), summaries, Format::terminal, style);
}

std::size_t times(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
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

TEST(Headline, CountsTheWorstVerdictOverTheCasesThatWereJudged) {
  EXPECT_THAT(terminal(with_verdicts({regressed, regressed, unchanged, skipped})),
              StartsWith("REGRESSED: 2 of 3 cases are slower by more than their margin\n"));
  EXPECT_THAT(terminal(with_verdicts({failed, regressed})),
              StartsWith("FAILED: 1 of 2 cases failed, timed out or computed a wrong result\n"));
  EXPECT_THAT(terminal(with_verdicts({missing, unchanged})),
              StartsWith("MISSING: 1 of 2 cases has nothing to be compared with\n"));
  EXPECT_THAT(terminal(with_verdicts({not_comparable, not_comparable})),
              StartsWith("NOT COMPARABLE: all 2 cases were measured on hardware or settings that must not"));
  EXPECT_THAT(terminal(with_verdicts({inconclusive})),
              StartsWith("INCONCLUSIVE: the only case could not be decided\n"));
  EXPECT_THAT(terminal(with_verdicts({improved, unchanged})),
              StartsWith("IMPROVED: 1 of 2 cases is faster by more than its margin\n"));
  EXPECT_THAT(terminal(with_verdicts({unchanged, unchanged})),
              StartsWith("UNCHANGED: all 2 cases are within their margin\n"));
}

TEST(Headline, NeverCallsNothingUnchanged) {
  EXPECT_THAT(terminal(with_verdicts({})), StartsWith("NOTHING COMPARED: neither record has a case\n"));
  EXPECT_THAT(terminal(with_verdicts({skipped, skipped})),
              StartsWith("NOTHING COMPARED: all 2 cases are skipped\n"));
}

TEST(Headline, SaysWorseWhereSlowerWouldBeWrong) {
  Comparison comparison = with_verdicts({regressed});
  comparison.rows[0].unit = "GB/s";
  comparison.rows[0].direction = Direction::higher_is_better;
  EXPECT_THAT(terminal(comparison),
              StartsWith("REGRESSED: the only case is worse by more than its margin\n"));
}

ComparisonRow& loosen(ComparisonRow& row, bool regressed) {
  row.loosened = LoosenedGate{0.01, 0.01, false, regressed};
  return row;
}

TEST(Headline, SaysInEveryMediumThatGatesWereLoosened) {
  Comparison comparison = with_verdicts({regressed, unchanged, unchanged});
  loosen(comparison.rows[0], true).informative = true;
  comparison.rows[0].ratio = 1.2;
  loosen(comparison.rows[1], false);
  comparison.verdict = overall_verdict(comparison.rows);
  for (const Format format : {Format::terminal, Format::markdown, Format::github, Format::junit}) {
    const std::string text = render_comparison(comparison, format, Style{false, 400});
    EXPECT_THAT(text, HasSubstr("gates loosened for 2 results")) << name_of(format);
    EXPECT_THAT(text, HasSubstr("1 of which is regressed by the baseline")) << name_of(format);
  }
  const std::string text = render_comparison(comparison, Format::terminal, Style{false, 400});
  EXPECT_THAT(text, HasSubstr("case/0 gpu_time (+20.00 %)"));
  const auto json = nlohmann::json::parse(render_comparison(comparison, Format::json, style));
  EXPECT_EQ(json["gates_loosened"], 2);
  EXPECT_EQ(json["cases"][0]["loosened"]["regressed"], true);
  EXPECT_TRUE(json["cases"][2]["loosened"].is_null());
}

TEST(NextSteps, FollowTheRows) {
  const auto steps = [](Verdict verdict, ReasonCode why, std::optional<int> needed = {},
                        const std::string& baseline = "r") {
    Comparison comparison = with_verdicts({verdict});
    comparison.baseline.id = baseline;
    comparison.rows[0].reason = {why};
    comparison.rows[0].processes_needed = needed;
    return render_comparison(comparison, Format::terminal, Style{false, 400});
  };
  EXPECT_THAT(steps(inconclusive, ReasonCode::undecided, 12), HasSubstr("`sampling: processes`"));
  const std::string noisy = steps(inconclusive, ReasonCode::undecided);
  EXPECT_THAT(noisy, HasSubstr("`harness ab`"));
  EXPECT_THAT(noisy, Not(HasSubstr("`sampling: processes`")));
  EXPECT_THAT(steps(inconclusive, ReasonCode::throttled), HasSubstr("raise its power limit"));
  EXPECT_THAT(steps(inconclusive, ReasonCode::contaminated), HasSubstr("measure again without them"));
  EXPECT_THAT(steps(inconclusive, ReasonCode::forced_gates), HasSubstr("`sampling: gate_deadline`"));
  const std::string fresh = steps(missing, ReasonCode::new_case);
  EXPECT_THAT(fresh, HasSubstr("`--allow missing` lets pull requests add cases"));
  EXPECT_THAT(fresh, Not(HasSubstr("Check out and rebuild")));
  EXPECT_THAT(steps(missing, ReasonCode::new_case, {}, ""), HasSubstr("Check out and rebuild"))
      << "without a baseline every case is new";
}

TEST(NextSteps, NameTheLookToMeasureOnTo) {
  Comparison comparison = with_verdicts({inconclusive});
  comparison.rows[0].processes_needed = 12;
  comparison.rows[0].look = {{5, 10, 20}, 1, 10};
  const std::string text = render_comparison(comparison, Format::terminal, Style{false, 400});
  EXPECT_THAT(text, HasSubstr("`harness compare --measure`"));
  EXPECT_THAT(text, Not(HasSubstr("Measure more processes for"))) << "one row, one step";
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
  EXPECT_THAT(terminal(comparison), HasSubstr("0 -> 0.5000"));
  EXPECT_THAT(render_comparison(comparison, Format::junit, style), HasSubstr("0 -&gt; 0.5000"));
  EXPECT_THAT(terminal(comparison), Not(HasSubstr("0.5000 1")));
  const auto json = nlohmann::json::parse(render_comparison(comparison, Format::json, style));
  EXPECT_EQ(json["cases"][0]["baseline"]["center"], 0);
}

TEST(ExitCode, OfWhatMustNotBeComparedHasAnAllowanceOfItsOwn) {
  Comparison comparison = with_verdicts({not_comparable, unchanged});
  comparison.policy.allow_missing = true;
  EXPECT_EQ(exit_code(comparison), 4);
  comparison.policy.allow_not_comparable = true;
  EXPECT_THAT(terminal(comparison), HasSubstr("only because of `--allow not-comparable`"));
}

TEST(ExitCode, IsExplainedAndAnAllowanceIsNeverSilent) {
  Comparison comparison = with_verdicts({missing, inconclusive, unchanged});
  EXPECT_THAT(terminal(comparison), HasSubstr("exit code 4: a baseline is missing or must not be compared"));
  comparison.policy.allow_missing = true;
  EXPECT_THAT(terminal(comparison), HasSubstr("exit code 3: nothing regressed, but something could not be"));
  comparison.policy.allow_inconclusive = true;
  EXPECT_THAT(terminal(comparison),
              HasSubstr("exit code 0: WARNING, only because of `--allow missing,inconclusive`"));
  EXPECT_THAT(terminal(with_verdicts({unchanged})), HasSubstr("exit code 0: no case regressed"));
}

TEST(Comparison, NamesTheMetricOfACaseThatHasSeveral) {
  Comparison comparison = with_verdicts({regressed, unchanged});
  comparison.rows[1].case_id = comparison.rows[0].case_id;
  comparison.rows[1].metric = "wall_time";
  comparison.rows[0].ratio = comparison.rows[1].ratio = 1.02;
  const std::string text = terminal(comparison);
  EXPECT_THAT(text, StartsWith("REGRESSED: 1 of 2 results is slower"));
  EXPECT_THAT(text, HasSubstr("\n  0 gpu_time "));
  EXPECT_THAT(text, HasSubstr("\n  0 wall_time "));
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
  EXPECT_THAT(terminal(comparison), Not(HasSubstr("change")));
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
  EXPECT_THAT(terminal(comparison), Not(HasSubstr("nan")));
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

TEST(Run, SaysWhatAColdMeanWouldHaveClaimedOnlyWithFirstCalls) {
  std::vector<Summary> summaries = fixture::summaries();
  // 12.43 us against 15.97 us, and 61240 us against 311.2 us once, in 50 calls: 1236.98 / 21.87.
  EXPECT_THAT(terminal_run(summaries), HasSubstr("A mean of 50 calls with it among them\n  would have "
                                                 "claimed 56.5x for"));
  for (Summary& summary : summaries) summary.first_call.reset();
  EXPECT_THAT(terminal_run(summaries), Not(HasSubstr("first call")));
}

TEST(Run, SpeaksOfTimeWhereThereAreNoSpeedups) {
  std::vector<Summary> summaries = fixture::summaries();
  summaries.resize(1);
  EXPECT_THAT(terminal_run(summaries), HasSubstr("would have claimed 1.237 ms for"));
}

TEST(Run, ShowsNoFigureOfACaseThatWasNotMeasured) {
  std::vector<Summary> summaries = fixture::summaries();
  for (Summary& summary : summaries)
    if (summary.outcome == Outcome::measured) {
      summary.outcome = Outcome::incorrect;
      summary.reason = told_cause("off by 1");
    }
  const std::string text = terminal_run(summaries);
  EXPECT_THAT(text, HasSubstr("fusion: 0 of 11 cases measured, 6 INCORRECT, 5 skipped"));
  EXPECT_THAT(text, Not(HasSubstr("centre")));
  EXPECT_THAT(text, Not(HasSubstr("12.43")));
}

TEST(Run, DoesNotHideACaseThatHasNoSamples) {
  std::vector<Summary> summaries = fixture::summaries();
  summaries[0].samples = 0;
  EXPECT_THAT(terminal_run(summaries), HasSubstr("1 WITHOUT SAMPLES"));
}

TEST(Run, FlagsAShareAboveItsCeiling) {
  std::vector<Summary> summaries = fixture::summaries();
  EXPECT_THAT(terminal_run(summaries), Not(HasSubstr("! above 100 %")));
  summaries[3].share_of_ceiling = 1.31;
  EXPECT_THAT(terminal_run(summaries), HasSubstr("131 % compute !"));
  EXPECT_THAT(terminal_run(summaries), HasSubstr("! above 100 %"));
}

TEST(Run, GivesEachMetricATableOfItsOwn) {
  std::vector<Summary> summaries = fixture::summaries();
  Summary other = summaries[0];
  other.metric = "bandwidth";
  other.unit = "GB/s";
  summaries.push_back(other);
  const std::string text = terminal_run(summaries);
  EXPECT_THAT(text, HasSubstr("gpu_time, in us (lower is better)"));
  EXPECT_THAT(text, HasSubstr("bandwidth, in GB/s"));
  EXPECT_THAT(text, StartsWith("fusion: 5 of 11 cases measured"));
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

// The text between a table's title and the next empty line.
std::string table_of(const std::string& text, const std::string& title) {
  const std::size_t begin = text.find(title);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find("\n\n", text.find("\n\n", begin) + 2) - begin);
}

TEST(Run, ShowsOneValueWhereEverySampleIsTheSame) {
  std::vector<Summary> summaries = fixture::summaries();
  const std::size_t count = summaries.size();
  for (std::size_t i = 0; i < count; ++i)
    if (summaries[i].samples > 0) summaries.push_back(constant(summaries[i], 114944, 293));
  for (const Format format : {Format::terminal, Format::markdown}) {
    const std::string text = render_run(fixture::record(), summaries, format, style);
    const std::string table = table_of(text, "buffer_memory, in bytes");
    EXPECT_THAT(table, HasSubstr("the same in every sample"));
    EXPECT_THAT(table, HasSubstr("114944"));
    EXPECT_THAT(table, HasSubstr("293x"));
    for (const char* column : {"interval", "median", "sd", "p95", "outliers", "CV"})
      EXPECT_THAT(table, Not(HasSubstr(column)));
    EXPECT_THAT(table_of(text, "gpu_time, in us"), HasSubstr("interval"));
  }
}

TEST(Run, DoesNotSayThatNothingIsGained) {
  std::vector<Summary> summaries = fixture::summaries();
  const std::size_t count = summaries.size();
  for (std::size_t i = 0; i < count; ++i)
    if (summaries[i].samples > 0) summaries.push_back(constant(summaries[i], 1.25, 1));
  EXPECT_THAT(table_of(terminal_run(summaries), "buffer_memory"), Not(HasSubstr("1.00x")));
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
  const std::string text = terminal_run(summaries);
  EXPECT_THAT(table_of(text, "gpu_time"), HasSubstr("interval"));
  EXPECT_THAT(table_of(text, "buffer_memory"), HasSubstr("interval"));
  EXPECT_THAT(text, Not(HasSubstr("the same in every sample")));
}

TEST(Run, TellsANoteOfManyCasesOnceWithTheFiguresOfEach) {
  std::vector<Summary> summaries = fixture::summaries();
  for (Summary& summary : summaries) summary.diagnostics.clear();
  summaries[0].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 13.66}, {"kernels_us", 20.0}}}};
  summaries[1].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 8.4}, {"kernels_us", 20.0}}}};
  const std::string text = terminal_run(summaries);
  EXPECT_THAT(text, HasSubstr("a call takes 8.4 to 13.66 us by events and 20 us"));
  EXPECT_THAT(text, testing::ContainsRegex("=f16/[^ ]*  +13.66\n"));
  EXPECT_THAT(text, testing::ContainsRegex("=f16/[^ ]*  +8.4\n"));
  const std::string markdown = render_run(fixture::record(), summaries, Format::markdown, style);
  EXPECT_THAT(markdown, HasSubstr("  - `" + summaries[1].case_id + "`: 8"));
  EXPECT_EQ(times(markdown, "by events"), 1U);
}

TEST(Run, ShortensANameBeforeItsFigures) {
  std::vector<Summary> summaries = fixture::summaries();
  for (Summary& summary : summaries) summary.diagnostics.clear();
  summaries[0].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 13.66}, {"kernels_us", 20.0}}}};
  summaries[1].diagnostics = {{DiagnosticCode::kernels_slowed, {{"events_us", 8.4}, {"kernels_us", 20.0}}}};
  const std::string text = render_run(fixture::record(), summaries, Format::terminal, {.width = 50});
  EXPECT_THAT(text, HasSubstr("  13.66\n"));
  for (const std::string& line : split(text.substr(text.find("\nnotes")), '\n'))
    EXPECT_LE(display_width(line), 50U) << line;
}

TEST(Run, SaysThatARecordIsUnfinished) {
  Record record = fixture::record();
  record.finished.clear();
  EXPECT_THAT(render_run(record, fixture::summaries(), Format::terminal, style), HasSubstr("(not finished)"));
}

TEST(Plan, TellsOneReasonOnceForManyCases) {
  Plan plan = fixture::plan();
  for (PlannedCase& one : plan.cases) one.skip = told_cause("there is no GPU here");
  EXPECT_EQ(times(render_plan(plan, Format::terminal, style), "there is no GPU here"), 1U);
}

TEST(Plan, ShowsWhatDiffersFromCaseToCase) {
  Plan plan = fixture::plan();
  EXPECT_THAT(render_plan(plan, Format::terminal, style), HasSubstr("  gate      margin 1 %, alpha 1 %"));
  plan.cases[0].gate.margin = 0.005;
  plan.cases[1].sampling.processes = 9;
  const std::string text = render_plan(plan, Format::terminal, style);
  EXPECT_THAT(text, HasSubstr("margin 0.5 %, alpha 1 %"));
  EXPECT_THAT(text, HasSubstr("9 x 5 x 50 cold"));
  EXPECT_THAT(text, HasSubstr("sampling takes at most 1 min 42 s"));
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
    EXPECT_THAT(text(), HasSubstr("time, error, 1 counter"));
    EXPECT_THAT(text(), HasSubstr("time, 2 counters"));
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
  EXPECT_THAT(terminal(fixture::comparison()), Not(HasSubstr("\x1b")));
  const std::string coloured = render_comparison(fixture::comparison(), Format::terminal, {true, 100});
  EXPECT_THAT(coloured, StartsWith("\x1b[1;31mREGRESSED"));
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
