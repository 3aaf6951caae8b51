// The content of a comparison's report, whatever its format.
#include "harness/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "fixture.h"
#include "golden.h"
#include "grids.h"
#include "harness/base/text.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/comparison/comparison_remarks.h"
#include "harness/report/documents/comparison/standing.h"

namespace harness {
namespace {

const Style style{false, 100};

std::string terminal(const Comparison& comparison) {
  return render_comparison(comparison, Format::terminal, style);
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

TEST(Rows, ShowTheValuesOfBothSides) {
  Comparison comparison = with_verdicts({regressed});
  ComparisonRow& row = comparison.rows[0];
  row.ratio = 1.04;
  row.baseline.processes = row.current.processes = 5;
  row.baseline.center = 13.16;
  row.current.center = 13.69;
  for (const Format format : {Format::terminal, Format::markdown, Format::csv}) {
    const std::string text = render_comparison(comparison, format, style);
    EXPECT_NE(text.find("13.16 us"), std::string::npos) << text;
    EXPECT_NE(text.find("13.69 us"), std::string::npos) << text;
  }
}

// The lines that name the case.
std::size_t lines_about(const std::string& text, const std::string& name) {
  const std::vector<std::string> lines = split(text, '\n');
  return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(name) != std::string::npos;
  }));
}

TEST(Order, IsTheVerdictThenTheRowsThenTheCausesAndOthersInALineEach) {
  Comparison comparison = with_verdicts({regressed, inconclusive, inconclusive, improved});
  for (ComparisonRow& row : comparison.rows) {
    row.ratio = 1.04;
    row.baseline.processes = row.current.processes = 5;
    row.baseline.center = row.current.center = 13.16;
    row.diagnostics = {{DiagnosticCode::few_processes, {{"processes", 2}, {"recommended", 5}}}};
  }
  comparison.rows[0].reason = {ReasonCode::worse};
  comparison.rows[1].reason = {ReasonCode::undecided};
  comparison.rows[1].diagnostics.clear();
  comparison.rows[2].ratio = 0;  // not in the table
  comparison.rows[2].reason = {ReasonCode::too_few_processes, {{"needed", 8}}};
  comparison.rows[3].informative = true;
  comparison.rows[3].reason = {ReasonCode::better};
  comparison.differences = {{"", {"driver", "1", "2"}}};
  comparison.baseline.id = "b";
  comparison.baseline.found.code = SourceCode::record;
  const std::string text = terminal(comparison);
  const auto at = [&](const char* what) { return text.find(what); };
  EXPECT_EQ(at("REGRESSED:"), 0U);
  EXPECT_LT(at("13.16 us"), at("\nwhy\n"));
  EXPECT_LT(at("\nwhy\n"), at("the environments differ"));
  EXPECT_LT(at("the environments differ"), at("\nother results\n"));
  // Names in the table leave out what all share.
  EXPECT_EQ(lines_about(text, "case/0"), 1U) << text;
  EXPECT_EQ(lines_about(text, "case/1"), 0U) << "its line is that of the table";
  EXPECT_EQ(lines_about(text, "case/2"), 1U) << "the table has none";
  EXPECT_EQ(lines_about(text, "case/3"), 0U) << text;
  EXPECT_NE(at("case/2\n      inconclusive: 5 against 5 processes"), std::string::npos) << text;
  EXPECT_NE(at("  more on 3 results:\n    --verbose\n"), std::string::npos) << text;
  Style verbose = style;
  verbose.verbose = true;
  const std::string whole = render_comparison(comparison, Format::terminal, verbose);
  for (const char* other : {"case/1", "case/2", "case/3"}) EXPECT_EQ(lines_about(whole, other), 1U) << whole;
  EXPECT_EQ(whole.find("--verbose"), std::string::npos);
  // Files have everything.
  const std::string markdown = render_comparison(comparison, Format::markdown, style);
  EXPECT_NE(markdown.find("<summary>why: 3 other results</summary>"), std::string::npos) << markdown;
}

// The exit status is theirs: a reader needs their names and the whole reason.
TEST(Order, FoldsNoNameAndNoReasonOfRowsThatDecide) {
  Comparison comparison = with_verdicts({inconclusive, inconclusive, inconclusive});
  for (ComparisonRow& row : comparison.rows) row.reason = {ReasonCode::unproven};
  ComparisonRow& beyond = comparison.rows[2];
  beyond.ratio = 1.055;
  beyond.interval = Interval{1.0148, 1.0977};
  beyond.margin = 0.01;
  beyond.baseline.processes = beyond.current.processes = 5;
  beyond.baseline.center = beyond.current.center = 13.16;
  beyond.reason = {ReasonCode::undecided};
  Style narrow = style;
  narrow.width = 60;
  for (const std::string& text :
       {terminal(comparison), render_comparison(comparison, Format::terminal, narrow)}) {
    for (const char* name : {"case/0", "case/1", "case/2"}) EXPECT_GE(lines_about(text, name), 1U) << text;
    EXPECT_EQ(text.find("…"), std::string::npos) << text;
    EXPECT_NE(std::regex_replace(text, std::regex(" *\n *"), " ").find("beyond the margin of 1 % at 5 %"),
              std::string::npos)
        << text;
  }
  // A row whose interval and margin stand in the table needs no more, unless the margin has no room.
  beyond.ratio = 1.004;
  beyond.interval = Interval{0.99, 1.02};
  EXPECT_EQ(terminal(comparison).find("may be worse by the margin"), std::string::npos);
  narrow.width = 40;
  EXPECT_NE(render_comparison(comparison, Format::terminal, narrow).find("may be worse"), std::string::npos);
}

TEST(Order, FoldsNothingThatTheChangeAsksFor) {
  Comparison comparison = with_verdicts({unchanged, unchanged});
  comparison.rows[1].diagnostics = {{DiagnosticCode::sampling_proposed, {{"settings", "processes 10 -> 5"}}}};
  const std::string text = terminal(comparison);
  EXPECT_NE(text.find("--accept-proposed"), std::string::npos) << text;
  EXPECT_EQ(lines_about(text, "case/1"), 1U) << text;
}

TEST(Footnotes, StandOnlyBelowColumnsThatAreThere) {
  Comparison comparison = with_verdicts({regressed});
  ComparisonRow& row = comparison.rows[0];
  row.ratio = 1.04;
  row.reason = {ReasonCode::worse};
  row.baseline.processes = row.current.processes = 5;
  row.baseline.center = row.current.center = 13.16;
  Style wide = style;
  wide.width = 200;
  EXPECT_NE(render_comparison(comparison, Format::terminal, wide).find("  detectable: the"),
            std::string::npos);
  Style narrow = style;
  narrow.width = 60;
  const std::string text = render_comparison(comparison, Format::terminal, narrow);
  EXPECT_EQ(text.find("detectable"), std::string::npos) << text;
  EXPECT_NE(text.find("  change: current"), std::string::npos) << text;
}

TEST(FirstMeasurements, PassWithoutAnAlarm) {
  Comparison comparison = with_verdicts({missing, missing});
  comparison.policy.allow_missing = true;
  EXPECT_FALSE(report::is_first(comparison));
  comparison.baseline.found.figures = {{"first", true}};
  ASSERT_TRUE(report::is_first(comparison));
  const Report report = report::comparison_document(comparison);
  EXPECT_TRUE(report.document.next_steps.empty());
  const report::CiView view = report.ci();
  for (const report::CiCase& one : view.cases) {
    EXPECT_EQ(one.state, report::CiState::skipped);
    EXPECT_EQ(one.alarm, report::Alarm::none);
  }
  ASSERT_EQ(view.alerts.size(), 1U);
  EXPECT_EQ(view.alerts[0].alarm, report::Alarm::notice);
  comparison.rows[0].verdict = failed;
  comparison.verdict = overall_verdict(comparison.rows);
  EXPECT_EQ(exit_code(comparison), 5);
  EXPECT_EQ(report.ci().cases[0].state, report::CiState::error);
}

TEST(Advice, OfManyResultsIsToldOnce) {
  std::vector<report::Finding> findings(3);
  findings[0] = {.cases = {"a", "b"}, .advice = {"cool it", "look here"}};
  findings[1] = {.cases = {"c"}, .advice = {"cool it"}};
  findings[2] = {.cases = {"d"}, .advice = {"measure more"}};
  EXPECT_EQ(report::take_common_advice(findings), std::vector<std::string>{"3 results: cool it"});
  EXPECT_EQ(findings[0].advice, std::vector<std::string>{"look here"});
  EXPECT_TRUE(findings[1].advice.empty());
  EXPECT_EQ(findings[2].advice, std::vector<std::string>{"measure more"});
}

TEST(PolicyLine, HasOnlyWhatIsNoDefault) {
  Comparison comparison = with_verdicts({unchanged});
  comparison.policy_facts = {{{PolicyCode::margin, {{"value", 0.01}}}, PolicyOrigin::standard},
                             {{PolicyCode::alpha, {{"value", 0.02}}}, PolicyOrigin::command_line}};
  EXPECT_EQ(report::policy_words(comparison), "alpha 2 % (command line)");
  comparison.policy_facts.pop_back();
  EXPECT_EQ(report::policy_words(comparison), "");
}

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
  Comparison proven = with_verdicts({identical, identical, identical});
  add("proven by launches", proven);
  proven.rows[0].by_build = proven.rows[1].by_build = true;
  add("proven by launches and by build", proven);
  proven.rows[2].by_build = true;
  add("proven by build", proven);
  proven = with_verdicts({identical});
  proven.rows[0].by_build = true;
  add("one is proven by build", proven);
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
  EXPECT_TRUE(names("more processes; a real slowdown", inconclusive, ReasonCode::not_confirmed))
      << "the advice itself, which is folded above";
  EXPECT_TRUE(names("`--allow missing`", missing, ReasonCode::new_case));
  EXPECT_FALSE(names("`harness run`", missing, ReasonCode::new_case));
  EXPECT_TRUE(names("`harness run`", missing, ReasonCode::new_case, {}, ""))
      << "without a baseline every case is new";
}

TEST(NextSteps, OfFilesWithoutACommonNameTellHowToGiveThemOne) {
  Comparison comparison = with_verdicts({missing, missing});
  comparison.baseline.id = "r";
  comparison.rows[0].reason = {ReasonCode::new_case};
  comparison.rows[1].reason = {ReasonCode::removed_case};
  const auto steps = [&] { return report::comparison_document(comparison).document.next_steps; };
  EXPECT_EQ(steps().size(), 2U) << "of records of a store";
  comparison.baseline.found.code = comparison.current.found.code = SourceCode::file;
  ASSERT_EQ(steps().size(), 1U);
  EXPECT_NE(steps()[0].find("`hyperfine -n NAME`"), std::string::npos);
  comparison.rows[0].verdict = unchanged;  // one case is on both sides: files of the same suite
  comparison.rows.push_back(comparison.rows[1]);
  comparison.rows.back().reason = {ReasonCode::new_case};
  EXPECT_EQ(steps().size(), 2U);
}

TEST(NextSteps, NameTheLookToMeasureOnTo) {
  Comparison comparison = with_verdicts({inconclusive});
  comparison.rows[0].processes_needed = 12;
  comparison.rows[0].look = {{5, 10, 20}, 1, 10};
  const std::vector<std::string> steps = report::comparison_document(comparison).document.next_steps;
  ASSERT_EQ(steps.size(), 1U) << "one row, one step";
  EXPECT_NE(steps[0].find("`harness compare --measure`"), std::string::npos);
}

// The sizes of the groups of identical results.
std::vector<std::size_t> identical_groups(const Comparison& comparison) {
  std::vector<std::size_t> sizes;
  const auto told = report::identical_results(comparison, report::RowNames(comparison));
  for (const auto& group : told.groups) sizes.push_back(group.ids.size());
  return sizes;
}

TEST(Identical, ResultsAreToldApartByTheirProof) {
  Comparison proven = with_verdicts({identical, identical, identical, identical});
  EXPECT_EQ(identical_groups(proven), (std::vector<std::size_t>{4}));
  for (const std::size_t row : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    proven.rows[row].by_build = true;
    proven.rows[row].unproven =
        ProofGap{{row == 0 ? ProofGapCode::disagree : ProofGapCode::unreadable, {{"side", "baseline"}}}};
  }
  EXPECT_EQ(identical_groups(proven), (std::vector<std::size_t>{2, 1, 1}))
      << "those that nobody could read, whose processes differ, and whose launches are equal";
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
  EXPECT_EQ(cells_of(tables_of(made).at(0), "baseline").at(0).text, "0");
  EXPECT_EQ(cells_of(tables_of(made).at(0), "current").at(0).text, "0.5000");
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

}  // namespace
}  // namespace harness
