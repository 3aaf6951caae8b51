#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/documents.h"
#include "harness/report/documents/comparison/comparison_ci.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/explanation_steps.h"
#include "harness/report/media/comparison_json.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<PlacementEvidence> {
  using Placement = PlacementEvidence;
  static constexpr auto fields = list_fields<Placement>(
      JsonLayout::line, field("samples", &Placement::samples), field("mild", &Placement::mild),
      field("far", &Placement::far), field("value", &Placement::value));
};

template <>
struct Described<ProcessEvidence> {
  static constexpr auto fields = list_fields<ProcessEvidence>(
      JsonLayout::lines, field("process", &ProcessEvidence::process), field("value", &ProcessEvidence::value),
      field("placements", &ProcessEvidence::placements));
};

template <>
struct Described<TestEvidence> {
  using Test = TestEvidence;
  static constexpr auto fields = list_fields<Test>(
      JsonLayout::lines, field("effect", &Test::effect), field("standard_error", &Test::standard_error),
      field("known_variance", &Test::known_variance), field("degrees_of_freedom", &Test::degrees_of_freedom),
      field("margin", &Test::margin), field("t_worse", &Test::t_worse), field("t_better", &Test::t_better),
      derived("interval",
              [](const Test& test) {
                return Interval{test.lo, test.hi};
              }),
      field("rank_worse", &Test::rank_worse), field("rank_better", &Test::rank_better),
      field("family", &Test::family));
};

template <>
struct Described<RowExplanation> {
  using Row = RowExplanation;
  static constexpr auto fields =
      list_fields<Row>(JsonLayout::lines, derived("case", [](const Row& one) { return one.row.case_id; }),
                       derived("metric", [](const Row& one) { return one.row.metric; }),
                       derived("verdict", [](const Row& one) { return one.row.verdict; }),
                       field("exit_code_alone", &Row::alone), field("test", &Row::test),
                       field("baseline", &Row::baseline), field("current", &Row::current));
};

template <>
struct Described<Retelling> {
  static constexpr auto fields = list_fields<Retelling>(
      JsonLayout::lines, field("comparison", &Retelling::comparison).as<report::ComparisonJson>(),
      field("explained", &Retelling::rows));
};

}  // namespace harness

namespace harness::report {
namespace {

void add_row(Document& document, const ExplainedRow& row) {
  document.blocks.push_back({Heading{row.headline, paint_for(row.verdict)}});
  int number = 0;
  for (const Step& step : row.steps) {
    document.blocks.push_back({Heading{fmt::format("{}. {}", ++number, step.title), Paint::strong, 2}});
    document.blocks.push_back({List{"", step.lines}});
    document.blocks.push_back({Table{"", step.table}});
    document.blocks.push_back({Prose{step.after}});
  }
}

// The result of the explained rows; the result of the whole comparison is in its own report.
CiView ci_of(const Retelling& explanation, const std::string& headline) {
  Comparison shown = explanation.comparison;
  shown.rows.clear();
  for (const RowExplanation& one : explanation.rows) shown.rows.push_back(one.row);
  shown.waivers.clear();
  CiView view = comparison_ci(shown);
  view.alerts = {{Alarm::notice, headline}};
  return view;
}

}  // namespace

Report explanation_document(const Retelling& explanation) {
  Document document;
  document.title = explanation.comparison.suite + ": explanation";
  document.headline = fmt::format("{} explained", counted(explanation.rows.size(), "result", "results"));
  document.facts = explanation_facts(explanation);
  for (const ExplainedRow& row : explained_rows(explanation)) add_row(document, row);
  const std::string headline = document.headline;
  return {std::move(document), [&explanation, headline] { return ci_of(explanation, headline); },
          [&explanation] { return report_json(explanation, formats::explanation); }};
}

std::string explanation_schema() {
  return schema_text(Described<Retelling>::fields, formats::explanation);
}

}  // namespace harness::report
