#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/model/results/comparison_fields.h"
#include "harness/report/documents.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/study_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<BisectCommit> {
  static constexpr auto fields = list_fields<BisectCommit>(
      JsonLayout::lines, field("commit", &BisectCommit::hash), field("date", &BisectCommit::date),
      field("author", &BisectCommit::author), field("subject", &BisectCommit::subject));
};

template <>
struct Described<BisectStep> {
  using Step = BisectStep;
  static constexpr auto fields = list_fields<Step>(
      JsonLayout::lines, derived("commit", [](const Step& step) { return step.commit.hash; }),
      derived("date", [](const Step& step) { return step.commit.date; }),
      derived("author", [](const Step& step) { return step.commit.author; }),
      derived("subject", [](const Step& step) { return step.commit.subject; }),
      field("result", &Step::result), derived("reason", report::skip_words), field("stored", &Step::stored),
      derived("case", [](const Step& step) { return step.row ? step.row->case_id : ""; }).null_when_default(),
      derived("verdict",
              [](const Step& step) { return step.row ? std::optional(step.row->verdict) : std::nullopt; }),
      derived("ratio", [](const Step& step) { return step.row ? std::max(0.0, step.row->ratio) : 0; })
          .null_when_default(),
      derived("interval",
              [](const Step& step) { return step.row ? step.row->interval : std::optional<Interval>(); }),
      derived("p_adjusted",
              [](const Step& step) { return step.row ? step.row->p_adjusted : std::optional<double>(); }));
};

template <>
struct Described<BisectReport> {
  static constexpr auto fields = list_fields<BisectReport>(
      JsonLayout::lines, field("suite", &BisectReport::suite), field("cases", &BisectReport::cases),
      field("good", &BisectReport::good), field("bad", &BisectReport::bad),
      field("stopped", &BisectReport::stopped), field("out_of_time", &BisectReport::out_of_time),
      field("steps", &BisectReport::steps), field("culprits", &BisectReport::culprits));
};

}  // namespace harness

namespace harness::report {
namespace {

constexpr std::size_t most_cases = 3;  // named in the facts

std::string hash_of(const BisectCommit& commit) {
  return commit.hash.substr(0, 10);
}

std::string headline_of(const BisectReport& report) {
  if (report.culprits.size() == 1)
    return fmt::format("{} is the first commit that is worse", hash_of(report.culprits.front()));
  return fmt::format("the culprit is one of these {}; {}",
                     counted(report.culprits.size(), "commit", "commits"),
                     report.out_of_time ? "--budget ended the search"
                     : report.stopped   ? "--max-steps ended the search"
                                        : "the others could not be decided");
}

std::string described(const BisectCommit& commit) {
  return fmt::format("{}  {}  {}  {}", hash_of(commit), commit.date.substr(0, 10), commit.author,
                     commit.subject);
}

NamedTexts facts_of(const BisectReport& report) {
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

Paint paint_of(BisectStep::Result result) {
  switch (result) {
    case BisectStep::Result::good: return Paint::good;
    case BisectStep::Result::bad: return Paint::bad;
    case BisectStep::Result::skipped: break;
  }
  return Paint::doubtful;
}

// In order of history, so that the reader sees where good becomes bad.
Grid grid_of(const BisectReport& report) {
  Grid grid;
  grid.label_header = "commit";
  grid.columns = {
      {"result", Align::left, 0, 0, false, false},  {"against good", Align::decimal, 0, 0, false, false},
      {"interval", Align::left, 0, 2, true, false}, {"processes", Align::right, 0, 3, false, false},
      {"source", Align::left, 0, 4, false, false},  {"subject", Align::left, 0, 1, false, false}};
  Section section;
  for (const BisectStep& step : report.steps) {
    const bool any = step.row && step.row->ratio > 0;
    section.rows.push_back(
        {hash_of(step.commit),
         {{std::string(name_of(step.result)), paint_of(step.result)},
          {any ? signed_percent(step.row->ratio - 1) : std::string(unknown)},
          {any && step.row->interval ? percent_bounds(*step.row->interval) : std::string()},
          {any ? fmt::format("{}/{}", step.row->baseline.processes, step.row->current.processes)
               : std::string(unknown)},
          {step.row || step.stored ? (step.stored ? "stored" : "measured") : ""},
          {step.skip.code == SkipCode::none ? step.commit.subject : skip_words(step)}},
         step.commit.hash});
  }
  grid.sections.push_back(std::move(section));
  return grid;
}

std::vector<std::string> advice_of(const BisectReport& report) {
  if (report.culprits.size() != 1) return {};
  return {fmt::format("look at it: git show {}", hash_of(report.culprits.front()))};
}

// A culprit is a failure, so that a CI shows it.
CiView ci_of(const BisectReport& report, const std::string& headline) {
  CiView view{report.suite};
  for (const BisectStep& step : report.steps) {
    CiCase one{
        described(step.commit), {}, CiState::passed, std::string(name_of(step.result)), skip_words(step)};
    if (step.result == BisectStep::Result::skipped) one.state = CiState::skipped;
    const bool guilty = report.culprits.size() == 1 && report.culprits.front().hash == step.commit.hash;
    if (guilty) {
      one.state = CiState::failure;
      one.message = one.body = headline;
    }
    view.cases.push_back(std::move(one));
  }
  std::vector<std::string> lines;
  for (const BisectCommit& commit : report.culprits) lines.push_back(described(commit));
  view.alerts.push_back({Alarm::error, headline, join(lines, "\n")});
  view.output = lines;
  return view;
}

}  // namespace

Report bisect_document(const BisectReport& bisection) {
  Document document;
  document.title = bisection.suite + ": bisection";
  document.headline = headline_of(bisection);
  document.tone = Paint::bad;
  document.facts = facts_of(bisection);
  Prose culprits{{}, Paint::plain};
  for (const BisectCommit& commit : bisection.culprits) culprits.lines.push_back(described(commit));
  document.blocks = {{Table{"", grid_of(bisection)}}, {std::move(culprits)}};
  document.next_steps = advice_of(bisection);
  const std::string headline = document.headline;
  return {std::move(document), [&bisection, headline] { return ci_of(bisection, headline); },
          [&bisection] { return report_json(bisection, formats::bisect); }};
}

std::string bisect_schema() {
  return schema_text(Described<BisectReport>::fields, formats::bisect);
}

}  // namespace harness::report
