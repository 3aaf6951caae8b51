// The output that a CI reads: JUnit that agrees with the exit code, annotations that are counted, Markdown of
// a size.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "fixture.h"
#include "harness/base/text.h"
#include "harness/report/media/github_text.h"
#include "harness/report/media/terminal_text.h"
#include "studies.h"

namespace harness {
namespace {

using enum Verdict;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::array<Verdict, 8> all_verdicts{unchanged, improved,       regressed, inconclusive,
                                              missing,   not_comparable, failed,    skipped};

ComparisonRow row_with(Verdict verdict, int number) {
  ComparisonRow row;
  row.case_id = "case/" + std::to_string(number);
  row.metric = "gpu_time";
  row.unit = "us";
  row.verdict = verdict;
  row.reason = {ReasonCode::skipped};
  row.cause = told_cause("because " + std::to_string(number));
  row.where = {"suites/a.yaml", 10 + number, 3};
  return row;
}

Comparison with_rows(std::vector<ComparisonRow> rows) {
  Comparison comparison;
  comparison.suite = "demo";
  comparison.suite_file = "suites/a.yaml";
  comparison.rows = std::move(rows);
  comparison.verdict = overall_verdict(comparison.rows);
  return comparison;
}

pugi::xml_document junit(const Comparison& comparison) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(render_comparison(comparison, Format::junit, {}).c_str()));
  return document;
}

bool is_red(const Comparison& comparison) {
  const pugi::xml_document document = junit(comparison);
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  const std::size_t bad = document.select_nodes("//failure|//error").size();
  EXPECT_EQ(bad, suite.attribute("failures").as_uint() + suite.attribute("errors").as_uint());
  EXPECT_EQ(document.select_nodes("//testcase").size(), suite.attribute("tests").as_uint());
  EXPECT_EQ(document.select_nodes("//skipped").size(), suite.attribute("skipped").as_uint());
  // The rows themselves say it, unless none was compared or the undecided ones are all there is.
  const bool stood_in = !document.select_nodes("//testcase[@name='(the whole comparison)']").empty();
  EXPECT_TRUE(!stood_in || overall_verdict(comparison.rows) == skipped || exit_code(comparison) == 3);
  return bad > 0;
}

TEST(Junit, IsRedExactlyWhenTheExitCodeIsNotZero) {
  int red = 0;
  int green = 0;
  for (const Verdict one : all_verdicts)
    for (const Verdict other : all_verdicts)
      for (unsigned flags = 0; flags < 64; ++flags) {
        Comparison comparison = with_rows({row_with(one, 0), row_with(other, 1)});
        comparison.policy.allow_inconclusive = (flags & 1) != 0;
        comparison.policy.allow_missing = (flags & 2) != 0;
        comparison.policy.allow_not_comparable = (flags & 4) != 0;
        comparison.policy.fail_on_improved = (flags & 8) != 0;
        comparison.rows[0].informative = (flags & 16) != 0;
        if ((flags & 32) != 0) comparison.rows[0].waiver = Waiver{"*", "", 0.5, "2030-01-01", "why", "", {}};
        comparison.verdict = overall_verdict(comparison.rows);
        const bool expected = exit_code(comparison) != 0;
        ASSERT_EQ(is_red(comparison), expected) << name_of(one) << " " << name_of(other) << " " << flags;
        ++(expected ? red : green);
      }
  EXPECT_GT(red, 500);
  EXPECT_GT(green, 500);
}

TEST(Junit, IsRedWhereNothingWasCompared) {
  EXPECT_TRUE(is_red(with_rows({})));
  EXPECT_TRUE(is_red(with_rows({row_with(skipped, 0)})));
}

TEST(Junit, CallsAFailedCaseAnErrorAndARegressionAFailure) {
  const pugi::xml_document document = junit(with_rows({row_with(failed, 0), row_with(regressed, 1)}));
  EXPECT_EQ(document.select_nodes("//testcase[@name='case/0']/error[@type='failed']").size(), 1U);
  const pugi::xpath_node failure = document.select_node("//testcase[@name='case/1']/failure");
  EXPECT_STREQ(failure.node().attribute("message").value(), "regressed: because 1");
  EXPECT_EQ(document.select_nodes("//testcase[@name='case/1'][@file='suites/a.yaml'][@line='11']").size(),
            1U);
}

TEST(Junit, SkipsAnUndecidedResultAndSaysWhy) {
  const pugi::xml_document document = junit(with_rows({row_with(inconclusive, 0), row_with(regressed, 1)}));
  const pugi::xpath_node undecided = document.select_node("//testcase[@name='case/0']/skipped");
  EXPECT_STREQ(undecided.node().attribute("message").value(), "inconclusive: because 0");
  EXPECT_EQ(document.select_nodes("//failure").size(), 1U);
}

TEST(Junit, SkipsAWaivedRegressionAndSaysWhy) {
  const pugi::xml_document document = junit(fixture::governed_comparison());
  const pugi::xpath_node skipped_case = document.select_node("//testcase/skipped[@type='regressed']");
  EXPECT_NE(std::string(skipped_case.node().attribute("message").value()).find("2026-12-31"),
            std::string::npos);
}

TEST(Junit, TellsCommitsDeviceAndNumbers) {
  const pugi::xml_document document = junit(fixture::comparison());
  const auto property = [&](const std::string& name) {
    return std::string(
        document.select_node(("//property[@name='" + name + "']").c_str()).node().attribute("value").value());
  };
  EXPECT_EQ(property("commit"), fixture::record().revision.commit);
  EXPECT_EQ(property("baseline_commit"), "abc1234000000000000000000000000000000000");
  EXPECT_EQ(property("device"), "NVIDIA H200 GPU-5f1c7a90");
  EXPECT_EQ(property("exit_code"), "1");
  EXPECT_TRUE(
      has(document.select_node("//testcase[1]/system-out").node().text().get(), "[+3.72 %, +4.52 %]"));
}

TEST(Junit, OfARunThatEndedEarlyHoldsEveryCaseAndIsRed) {
  Record record = fixture::record();
  record.finished.clear();
  std::vector<Summary> summaries = fixture::summaries();
  summaries[1].samples = 0;  // planned, and the run ended before it
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render_run(record, summaries, Format::junit, {}).c_str()));
  EXPECT_EQ(document.select_nodes("//testcase").size(), summaries.size() + 1);
  const std::string path = "//testcase[@name='" + summaries[1].case_id + "']/error/@message";
  EXPECT_STREQ(document.select_node(path.c_str()).attribute().value(),
               "not measured: the run ended before this case");
  EXPECT_EQ(document.select_nodes("//testcase[@name='(the whole run)']/error").size(), 1U);
  // ... and of one that did not:
  record.finished = "2026-11-20T05:41:12Z";
  ASSERT_TRUE(document.load_string(render_run(record, fixture::summaries(), Format::junit, {}).c_str()));
  EXPECT_EQ(document.select_nodes("//error").size(), 1U);  // the incorrect one
  EXPECT_EQ(document.select_nodes("//skipped").size(), 5U);
}

std::size_t count_of(const std::string& text, std::string_view start) {
  const std::vector<std::string> lines = split(text, '\n');
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(start); }));
}

TEST(Github, ShowsAtMostTenOfALevelTheWorstFirst) {
  std::vector<ComparisonRow> rows;
  for (int i = 0; i < 30; ++i) rows.push_back(row_with(regressed, i));
  for (int i = 30; i < 42; ++i) rows.push_back(row_with(inconclusive, i));
  for (int i = 42; i < 54; ++i) rows.push_back(row_with(improved, i));
  const Comparison comparison = with_rows(rows);
  const std::string text = render_comparison(comparison, Format::github, {});
  EXPECT_EQ(count_of(text, "::error "), 10U);
  EXPECT_EQ(count_of(text, "::warning "), 10U);
  EXPECT_EQ(count_of(text, "::notice "), 10U);
  const std::string headline = report::comparison_document(comparison).document.headline;
  EXPECT_TRUE(text.starts_with(
      "::error file=suites/a.yaml,title=" + report::escape_command_property(headline) + "::exit code 1"));
  EXPECT_TRUE(has(text, "%0Aand 10 more\n"));
  EXPECT_TRUE(has(text, "::error file=suites/a.yaml,line=18,title=regressed%3A case/8::"));
  EXPECT_FALSE(has(text, "line=19,"));
}

TEST(Github, ShowsOneAloneWithoutAnAggregate) {
  const std::string text = render_comparison(with_rows({row_with(regressed, 0)}), Format::github, {});
  EXPECT_EQ(text, "::error file=suites/a.yaml,line=10,title=regressed%3A case/0::because 0\n");
  EXPECT_EQ(render_comparison(with_rows({row_with(unchanged, 0)}), Format::github, {}), "");
}

TEST(Github, IsLoudWheneverTheExitCodeIsNotZero) {
  EXPECT_EQ(count_of(render_comparison(with_rows({row_with(skipped, 0)}), Format::github, {}), "::error "),
            1U);
  Comparison stale = with_rows({row_with(improved, 0)});
  EXPECT_EQ(count_of(render_comparison(stale, Format::github, {}), "::notice "), 1U);
  stale.policy.fail_on_improved = true;
  EXPECT_EQ(count_of(render_comparison(stale, Format::github, {}), "::error "), 1U);
}

TEST(Github, EscapesWhatWouldEndACommandOrAProperty) {
  EXPECT_EQ(report::escape_command_data("50 % a:b,c\nnext"), "50 %25 a:b,c%0Anext");
  EXPECT_EQ(report::escape_command_property("50 % a:b,c\nnext"), "50 %25 a%3Ab%2Cc\\u000anext");
  EXPECT_EQ(report::escape_command_data("a\r\x1b[1m\u202e"), "a\\u000d\\u001b[1m\\u202e");
}

Comparison large(int cases) {
  Comparison comparison = fixture::comparison();
  const ComparisonRow regression = comparison.rows.front();
  const ComparisonRow quiet = comparison.rows[4];
  comparison.rows.clear();
  for (int i = 0; i < cases; ++i) {
    ComparisonRow row = i < cases / 10 ? regression : quiet;
    row.case_id = "workload/variant_" + std::to_string(i) + "/m=" + std::to_string(i);
    if (row.verdict == Verdict::regressed)
      row.diagnostics.push_back({DiagnosticCode::renamed_to, {{"case", std::to_string(i)}}});
    comparison.rows.push_back(row);
  }
  comparison.verdict = overall_verdict(comparison.rows);
  return comparison;
}

TEST(MarkdownLimit, LeavesOutWholeRowsTheWorstLastAndSaysHowManyAndWhere) {
  const Comparison comparison = large(1000);
  const Report made = report::comparison_document(comparison);
  const std::string whole = render(made, Format::markdown);
  ASSERT_GT(whole.size(), 100000U);
  std::vector<std::string> lines = split(whole, '\n');
  std::sort(lines.begin(), lines.end());
  for (const std::size_t limit :
       {std::size_t{4000}, std::size_t{20000}, std::size_t{65536}, whole.size() - 1}) {
    const std::string text =
        render_comparison(comparison, Format::markdown, {false, 100, limit, "out/page.html"});
    EXPECT_LE(text.size(), limit);
    EXPECT_GT(text.size(), limit - 1500);  // no row more would have fitted
    EXPECT_TRUE(text.starts_with("### 🔴 " + made.document.headline));
    EXPECT_TRUE(has(text, "`out/page.html`"));
    EXPECT_TRUE(has(text, "`variant_0/m=0`"));
    EXPECT_TRUE(has(text, "**what to do**"));
    EXPECT_TRUE(text.ends_with(made.document.exit_meaning + "\n"));
    std::size_t rows = 0;
    for (const std::string& line : split(text, '\n')) {
      if (!line.starts_with("| `")) continue;
      ++rows;
      const std::string& sample = line;
      EXPECT_EQ(std::count(sample.begin(), sample.end(), '|'), 11) << line;
    }
    EXPECT_TRUE(has(text, std::to_string(1000 - rows) + " of 1,000 rows"));
  }
  EXPECT_EQ(render_comparison(comparison, Format::markdown, {false, 100, whole.size(), ""}), whole);
}

TEST(MarkdownLimit, NamesTheCommandWhereNoFileHoldsTheWhole) {
  const std::string text = render_comparison(large(200), Format::markdown, {false, 100, 5000, ""});
  EXPECT_TRUE(has(text, "`harness compare --baseline 11111111-2222-4333-8444-555555555555 --current 7d1f"));
  Sources sources;
  sources.command = "harness compare --margin 2%";
  EXPECT_TRUE(has(render_comparison(large(200), Format::markdown, {false, 100, 5000, ""}, sources),
                  "`harness compare --margin 2%`"));
}

TEST(Terminal, StaysWithinEveryWidth) {
  for (int width = 40; width <= 200; width += 8)
    for (const std::string& report : fixture::report_names())
      for (const std::string& line : split(fixture::drawn(report, Format::terminal, {false, width}), '\n'))
        EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << report << ": " << line;
}

// The fields of each line of a CSV file.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
    } else if (!quoted && c == '\r') {
      EXPECT_EQ(text.substr(i, 2), "\r\n");
      lines.push_back(std::move(fields));
      fields.assign(1, "");
      ++i;
    } else {
      fields.back() += c;
    }
  }
  EXPECT_FALSE(quoted);
  return lines;
}

TEST(Csv, HasOneHeaderAndAsManyFieldsInEveryLine) {
  for (const std::string& report : fixture::report_names()) {
    const auto lines = read_csv(fixture::drawn(report, Format::csv));
    ASSERT_GT(lines.size(), 1U) << report;
    EXPECT_EQ(lines[0][2], "row");
    const std::set<std::string> names(lines[0].begin(), lines[0].end());
    EXPECT_EQ(names.size(), lines[0].size()) << report << ": each column has its own name";
    for (const auto& fields : lines) EXPECT_EQ(fields.size(), lines[0].size()) << report;
  }
}

TEST(Csv, NamesEveryCaseInFull) {
  const auto lines = read_csv(fixture::drawn("comparison", Format::csv));
  std::set<std::string> rows;
  for (const auto& fields : lines) rows.insert(fields[2]);
  for (const ComparisonRow& row : fixture::comparison().rows)
    EXPECT_TRUE(rows.contains(row.case_id)) << row.case_id;
}

// A table calculation runs what looks like a formula.
TEST(Csv, HasNoFormulas) {
  for (const char* name : {"=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-1+cmd|' /C calc'!A0", "-x"}) {
    const std::string text = fixture::drawn("comparison", Format::csv, {}, name);
    EXPECT_EQ(text.find("\r\n" + std::string(name)), std::string::npos) << name;
    for (const auto& fields : read_csv(text))
      for (const std::string& field : fields) EXPECT_FALSE(field.starts_with(name)) << name;
  }
  bool signed_number = false;
  for (const auto& fields : read_csv(fixture::drawn("comparison", Format::csv)))
    for (const std::string& field : fields) {
      signed_number |= field.starts_with("+") && field.ends_with("%");
      EXPECT_FALSE(field.starts_with("'")) << field;
    }
  EXPECT_TRUE(signed_number) << "changes stay numbers";
}

TEST(Csv, KeepsHostileNamesInOneField) {
  for (const std::string& name : fixture::hostile_names())
    for (const std::string& report : fixture::hostile_report_names()) {
      const auto lines = read_csv(fixture::drawn(report, Format::csv, {}, name));
      for (const auto& fields : lines) EXPECT_EQ(fields.size(), lines[0].size()) << report;
    }
}

TEST(Standing, OfAWaivedRowIsToldAndDoesNotFailTheBuild) {
  Comparison comparison = with_rows({row_with(regressed, 0), row_with(unchanged, 1), row_with(unchanged, 2)});
  comparison.rows[0].waiver = Waiver{"*", "", 0.5, "2030-01-01", "why", "", {}};
  comparison.rows[2].informative = true;
  comparison.verdict = overall_verdict(comparison.rows);
  EXPECT_EQ(exit_code(comparison), 0);
  const Report made = report::comparison_document(comparison);
  std::vector<std::string> standings;
  for (const report::Block& block : made.document.blocks)
    if (const auto* findings = std::get_if<report::Findings>(&block.content))
      for (const report::Finding& finding : findings->items) standings.push_back(finding.standing);
  ASSERT_FALSE(standings.empty());
  EXPECT_TRUE(has(standings[0], "2030-01-01"));
  EXPECT_EQ(made.ci().cases.at(0).state, report::CiState::skipped);
  EXPECT_EQ(made.ci().cases.at(0).alarm, report::Alarm::warning);
}

TEST(Looks, AreNamedBesideTheProcessesInEveryMedium) {
  ComparisonRow row = row_with(inconclusive, 1);
  row.alpha = 0.01;
  row.ratio = 1.01;
  row.interval = Interval{0.99, 1.03};
  row.p = 0.2;
  row.baseline.processes = row.current.processes = 10;
  row.baseline.center = row.current.center = 20;
  row.look = {{5, 10, 20}, 2, 20};
  const Comparison comparison = with_rows({row});
  const Report made = report::comparison_document(comparison);
  EXPECT_TRUE(has(render(made, Format::terminal), "10/10 (look 2)"));
  EXPECT_TRUE(has(render(made, Format::terminal), "96.667 % interval"));
  EXPECT_TRUE(has(render(made, Format::markdown), "10/10 (look 2)"));
  EXPECT_TRUE(has(made.ci().cases.at(0).output, "96.667 %"));
  const auto json = nlohmann::json::parse(made.json());
  EXPECT_EQ(json["cases"][0]["look"]["number"], 2);
  EXPECT_EQ(json["cases"][0]["look"]["next"], 20);
  row.look = {{10}, 1, {}};
  EXPECT_FALSE(has(render_comparison(with_rows({row}), Format::terminal), "look"));
}

}  // namespace
}  // namespace harness
