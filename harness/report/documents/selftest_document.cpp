#include "harness/report/documents/selftest_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/documents/identity.h"
#include "harness/report/grid.h"
#include "harness/report/media/json_parts.h"
#include "harness/report/media/markdown_lists.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/media/terminal_lists.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"

namespace harness {
namespace report {
namespace {

constexpr const char* legend =
    "percent, with 99 % Clopper-Pearson bounds; a row fails when a lower bound, at 99 % for all together, "
    "lies above its limit. "
    "unchanged: "
    "suites in which nothing differs and a case is called regressed. at the margin: cases truly slower by "
    "exactly "
    "the margin, where the rule is likeliest to be wrong: called regressed each by itself, any of a suite "
    "after "
    "Holm, called unchanged. found: cases truly slower by more, called regressed after Holm; no error";

// "1.02 [0.8, 1.2]", in percent.
std::string text_of(const ErrorRate& rate) {
  if (rate.trials == 0) return std::string(unknown);
  return fmt::format("{:.2f} [{:.1f}, {:.1f}]", rate.share() * 100, rate.bounds.lo * 100,
                     rate.bounds.hi * 100);
}

Cell cell_of(const ErrorRate& rate) {
  return {text_of(rate), rate.exceeds() ? Paint::bad : Paint::plain};
}

std::string headline_of(const SelftestReport& report) {
  std::size_t failed = 0, all = report.rows.size() + report.runs.size();
  for (const SelftestRow& row : report.rows) failed += passes(row) ? 0 : 1;
  for (const SelftestRun& run : report.runs) failed += run.red.exceeds() ? 1 : 0;
  if (failed == 0) return fmt::format("PASSED: no error rate is shown to lie above its limit");
  return fmt::format("FAILED: {} of {} rows are wrong more often than they may be", failed, all);
}

std::vector<std::pair<std::string, std::string>> facts_of(const SelftestReport& report) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (!report.rows.empty()) {
    facts.emplace_back("simulated", fmt::format("{} suites of {} cases a row, seed {}", report.splits,
                                                report.cases, report.seed));
    facts.emplace_back("rule", fmt::format("that of `harness compare`: margin {}, alpha {} one-sided, Holm",
                                           plain_percent(report.margin), plain_percent(report.alpha)));
    facts.emplace_back("found", "at a change of " + plain_percent(report.found_change));
  }
  for (const SelftestRun& run : report.runs) {
    facts.emplace_back("suite", run.suite);
    facts.emplace_back("device", run.device);
    facts.emplace_back(
        "compared",
        run.processes == 0
            ? std::string("nothing")
            : fmt::format("{} random halves of one run, {} processes a side; splits share processes",
                          run.red.trials, run.processes));
    if (run.processes > 0)
      facts.emplace_back("regressed", fmt::format("a case in {} % of the splits; at most {} may be",
                                                  text_of(run.red), plain_percent(run.red.limit)));
  }
  return facts;
}

Grid rates_of(const SelftestReport& report) {
  Grid grid;
  grid.label_header = "";
  grid.columns = {{"unchanged", Align::decimal, 0, 0, false, false},
                  {"at the margin", Align::decimal, 0, 0, false, false},
                  {"any, Holm", Align::decimal, 0, 1, false, false},
                  {"unchanged", Align::decimal, 0, 2, false, false},
                  {"found", Align::right, 0, 3, false, false},
                  {"", Align::left, 0, 0, false, false}};
  for (const SelftestRow& row : report.rows) {
    if (grid.sections.empty() || grid.sections.back().heading != row.noise)
      grid.sections.push_back({row.noise, Paint::faint, {}});
    const bool good = passes(row);
    grid.sections.back().rows.push_back({row.plan,
                                         {cell_of(row.unchanged_red),
                                          cell_of(row.called),
                                          cell_of(row.family_called),
                                          cell_of(row.passed),
                                          {fmt::format("{:.0f}", row.found.share() * 100)},
                                          {good ? "passed" : "FAILED", good ? Paint::good : Paint::bad}}});
  }
  return grid;
}

// Cases of the runs that were called regressed at all.
Grid alarms_of(const SelftestReport& report) {
  Grid grid;
  grid.label_header = "case";
  grid.columns = {{"metric", Align::left, 0, 1, false, false},
                  {"called regressed", Align::right, 0, 0, false, false}};
  std::vector<std::string> ids;
  for (const SelftestRun& run : report.runs)
    for (const SelftestCase& one : run.cases) ids.push_back(one.case_id);
  const Shared shared = factor_ids(ids);
  grid.shared = shared.pattern;
  Section section;
  for (const SelftestRun& run : report.runs)
    for (const SelftestCase& one : run.cases)
      section.rows.push_back({shared.labels[section.rows.size()],
                              {{one.metric},
                               {fmt::format("{} of {}", one.alarms, run.red.trials),
                                one.alarms > 0 ? Paint::strong : Paint::faint}}});
  if (!section.rows.empty()) grid.sections.push_back(std::move(section));
  return grid;
}

Json rate_json(const ErrorRate& rate) {
  return {{"hits", rate.hits},
          {"trials", rate.trials},
          {"limit", number(rate.limit)},
          {"bounds", interval_json(rate.bounds)},
          {"lower_bound_of_all", number(rate.surely)},
          {"exceeds", rate.exceeds()}};
}

std::string json_selftest(const SelftestReport& report) {
  Json json{{"format", "harness-selftest"},
            {"version", 1},
            {"passed", passes(report)},
            {"seed", report.seed},
            {"splits", report.splits},
            {"confidence", number(report.confidence)},
            {"margin", number(report.margin)},
            {"alpha", number(report.alpha)},
            {"found_change", number(report.found_change)},
            {"cases", report.cases},
            {"simulated", Json::array()},
            {"runs", Json::array()},
            {"remarks", report.remarks}};
  for (const SelftestRow& row : report.rows)
    json["simulated"].push_back({{"noise", row.noise},
                                 {"plan", row.plan},
                                 {"passed", passes(row)},
                                 {"unchanged_suite_called_regressed", rate_json(row.unchanged_red)},
                                 {"at_margin_called_regressed", rate_json(row.called)},
                                 {"at_margin_suite_called_regressed", rate_json(row.family_called)},
                                 {"at_margin_called_unchanged", rate_json(row.passed)},
                                 {"found", rate_json(row.found)}});
  for (const SelftestRun& run : report.runs) {
    Json cases = Json::array();
    for (const SelftestCase& one : run.cases)
      cases.push_back({{"case", one.case_id}, {"metric", one.metric}, {"called_regressed", one.alarms}});
    json["runs"].push_back({{"suite", run.suite},
                            {"device", run.device},
                            {"processes", run.processes},
                            {"suite_called_regressed", rate_json(run.red)},
                            {"notes", run.notes},
                            {"cases", std::move(cases)}});
  }
  return dump(json);
}

std::vector<std::string> remarks_of(const SelftestReport& report) {
  std::vector<std::string> remarks = report.remarks;
  for (const SelftestRun& run : report.runs)
    remarks.insert(remarks.end(), run.notes.begin(), run.notes.end());
  return remarks;
}

std::string terminal_selftest(const SelftestReport& report, const Style& style) {
  std::string text = painted_lines(wrapped(headline_of(report), "", style),
                                   passes(report) ? Paint::strong : Paint::bad, style);
  text += fact_lines(facts_of(report), style);
  if (!report.rows.empty()) {
    text += "\n" + draw(rates_of(report), style) + "\n";
    text += painted_lines(wrapped(legend, "  ", style), Paint::faint, style);
  }
  const Grid alarms = alarms_of(report);
  if (!alarms.sections.empty()) text += "\n" + draw(alarms, style);
  for (const std::string& remark : remarks_of(report)) text += wrapped(remark, "  - ", style);
  return text;
}

std::string markdown_selftest(const SelftestReport& report) {
  std::string text = "### " + markdown_prose(headline_of(report)) + "\n\n" + markdown_facts(facts_of(report));
  if (!report.rows.empty())
    text += "\n" + markdown_table(rates_of(report)) + "\n" + markdown_prose(legend) + "\n";
  const Grid alarms = alarms_of(report);
  if (!alarms.sections.empty()) text += "\n" + markdown_table(alarms);
  for (const std::string& remark : remarks_of(report)) text += "- " + markdown_prose(remark) + "\n";
  return text;
}

}  // namespace
}  // namespace report

std::string render_selftest(const SelftestReport& report, Format format, const Style& style) {
  if (format == Format::json) return report::json_selftest(report);
  if (format == Format::markdown) return report::markdown_selftest(report);
  return report::terminal_selftest(report, style);
}

}  // namespace harness
