#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/documents.h"
#include "harness/report/documents/comparison_ci.h"
#include "harness/report/documents/comparison_remarks.h"
#include "harness/report/documents/explanation_steps.h"
#include "harness/report/media/json_parts.h"
#include "harness/report/numbers.h"
#include "harness/schema/formats.h"

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

Json process_json(const ProcessEvidence& process) {
  Json placements = Json::array();
  for (const PlacementEvidence& one : process.placements)
    placements.push_back(
        {{"samples", one.samples}, {"mild", one.mild}, {"far", one.far}, {"value", number(one.value)}});
  return {{"process", process.process}, {"value", number(process.value)}, {"placements", placements}};
}

Json test_json(const TestEvidence& test) {
  return {{"effect", number(test.effect)},
          {"standard_error", number(test.standard_error)},
          {"known_variance", number(test.known_variance)},
          {"degrees_of_freedom", number(test.degrees_of_freedom)},
          {"margin", number(test.margin)},
          {"t_worse", number(test.t_worse)},
          {"t_better", number(test.t_better)},
          {"interval", {number(test.lo), number(test.hi)}},
          {"rank_worse", test.rank_worse},
          {"rank_better", test.rank_better},
          {"family", test.family}};
}

Json row_json(const RowExplanation& one) {
  Json json{{"case", one.row.case_id},
            {"metric", one.row.metric},
            {"verdict", name_of(one.row.verdict)},
            {"exit_code_alone", one.alone},
            {"test", one.test ? test_json(*one.test) : Json(nullptr)},
            {"baseline", Json::array()},
            {"current", Json::array()}};
  for (const ProcessEvidence& process : one.baseline) json["baseline"].push_back(process_json(process));
  for (const ProcessEvidence& process : one.current) json["current"].push_back(process_json(process));
  return json;
}

std::string json_explanation(const Retelling& explanation) {
  Json json{{"format", formats::explanation.name},
            {"version", formats::explanation.version},
            {"comparison", Json::parse(comparison_report(explanation.comparison))},
            {"explained", Json::array()}};
  for (const RowExplanation& one : explanation.rows) json["explained"].push_back(row_json(one));
  return dump(json);
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
          [&explanation] { return json_explanation(explanation); }};
}

}  // namespace harness::report
