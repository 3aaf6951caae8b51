#include "harness/report/documents/bisect_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/documents/comparison_table.h"
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

constexpr std::size_t most_cases = 3;  // named in the facts

std::string hash_of(const BisectCommit& commit) {
  return commit.hash.substr(0, 10);
}

std::string headline_of(const BisectReport& report) {
  if (report.culprits.size() == 1)
    return fmt::format("{} is the first commit that is worse", hash_of(report.culprits.front()));
  return fmt::format(
      "one of {} is the first that is worse{}", counted(report.culprits.size(), "commit", "commits"),
      report.stopped ? "; --max-steps ended the search" : "; those between could not be tested");
}

std::string described(const BisectCommit& commit) {
  return fmt::format("{}  {}  {}  {}", hash_of(commit), commit.date.substr(0, 10), commit.author,
                     commit.subject);
}

std::vector<std::pair<std::string, std::string>> facts_of(const BisectReport& report) {
  std::vector<std::string> cases(
      report.cases.begin(),
      report.cases.begin() + static_cast<std::ptrdiff_t>(std::min(most_cases, report.cases.size())));
  std::string named = join(cases, ", ");
  if (report.cases.size() > most_cases)
    named += fmt::format(" and {} more", report.cases.size() - most_cases);
  return {{"suite", report.suite},
          {"worse", named},
          {"good", described(report.good)},
          {"bad", described(report.bad)}};
}

// In order of history, so that the step from good to bad is seen.
Grid grid_of(const BisectReport& report) {
  Grid grid;
  grid.label_header = "commit";
  grid.columns = {
      {"", Align::left, 0, 0, false, false},        {"against good", Align::decimal, 0, 0, false, false},
      {"interval", Align::left, 0, 2, true, false}, {"processes", Align::right, 0, 3, false, false},
      {"", Align::left, 0, 4, false, false},        {"subject", Align::left, 0, 1, false, false}};
  Section section;
  for (const BisectStep& step : report.steps) {
    const bool any = step.row && step.row->ratio > 0;
    const Paint paint = step.result == BisectStep::Result::bad    ? Paint::bad
                        : step.result == BisectStep::Result::good ? Paint::good
                                                                  : Paint::doubtful;
    section.rows.push_back(
        {hash_of(step.commit),
         {{std::string(name_of(step.result)), paint},
          {any ? signed_percent(step.row->ratio - 1) : std::string(unknown)},
          {any && step.row->interval ? percent_bounds(*step.row->interval) : std::string()},
          {any ? fmt::format("{}/{}", step.row->baseline.processes, step.row->current.processes)
               : std::string(unknown)},
          {step.row || step.stored ? (step.stored ? "stored" : "measured") : ""},
          {step.reason.empty() ? step.commit.subject : step.reason}}});
  }
  grid.sections.push_back(std::move(section));
  return grid;
}

std::vector<std::string> advice_of(const BisectReport& report) {
  if (report.culprits.size() != 1) return {};
  return {fmt::format("look at it: git show {}", hash_of(report.culprits.front()))};
}

Json commit_json(const BisectCommit& commit) {
  return {
      {"commit", commit.hash}, {"date", commit.date}, {"author", commit.author}, {"subject", commit.subject}};
}

std::string json_bisect(const BisectReport& report) {
  Json json{{"format", "harness-bisect"},
            {"version", 1},
            {"suite", report.suite},
            {"cases", report.cases},
            {"good", commit_json(report.good)},
            {"bad", commit_json(report.bad)},
            {"stopped", report.stopped},
            {"steps", Json::array()},
            {"culprits", Json::array()}};
  for (const BisectStep& step : report.steps) {
    Json one = commit_json(step.commit);
    one["result"] = std::string(name_of(step.result));
    one["reason"] = step.reason;
    one["stored"] = step.stored;
    one["case"] = step.row ? Json(step.row->case_id) : Json(nullptr);
    one["verdict"] = step.row ? Json(std::string(name_of(step.row->verdict))) : Json(nullptr);
    one["ratio"] = step.row && step.row->ratio > 0 ? number(step.row->ratio) : Json(nullptr);
    one["interval"] = step.row ? interval_json(step.row->interval) : Json(nullptr);
    one["p_adjusted"] = step.row ? number(step.row->p_adjusted) : Json(nullptr);
    json["steps"].push_back(std::move(one));
  }
  for (const BisectCommit& commit : report.culprits) json["culprits"].push_back(commit_json(commit));
  return dump(json);
}

std::string terminal_bisect(const BisectReport& report, const Style& style) {
  std::string text = fact_lines(facts_of(report), style) + "\n" + draw(grid_of(report), style) + "\n";
  text += painted_lines(wrapped(headline_of(report), "", style), Paint::bad, style);
  for (const BisectCommit& commit : report.culprits) text += wrapped(described(commit), "  ", style);
  for (const std::string& advice : advice_of(report)) text += wrapped(advice, "  - ", style);
  return text;
}

std::string markdown_bisect(const BisectReport& report) {
  std::string text = "### " + markdown_prose(headline_of(report)) + "\n\n";
  for (const BisectCommit& commit : report.culprits) text += "- " + markdown_prose(described(commit)) + "\n";
  return text + "\n" + markdown_facts(facts_of(report)) + "\n" + markdown_table(grid_of(report));
}

}  // namespace
}  // namespace report

std::string render_bisect(const BisectReport& report, Format format, const Style& style) {
  if (format == Format::json) return report::json_bisect(report);
  if (format == Format::markdown) return report::markdown_bisect(report);
  return report::terminal_bisect(report, style);
}

}  // namespace harness
