#include "harness/report/documents/calibration_document.h"

#include <fmt/format.h>

#include "harness/base/text.h"
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

std::vector<std::pair<std::string, std::string>> facts_of(const CalibrationReport& report) {
  std::string alarms = "not counted";
  if (report.splits > 0)
    alarms = fmt::format(
        "{} of {} random splits with {} processes a side called a case regressed; below {} "
        "(Clopper-Pearson, 95 %; splits share processes)",
        report.suite_alarms, report.splits, report.split_processes, short_percent(report.alarm_bound));
  return {{"suite", report.suite},
          {"device", std::string(trim(report.machine_class + " " + report.device_uuid))},
          {"sessions", counted(report.records, "record", "records") + " of unchanged builds"},
          {"alarms", alarms},
          {"compared", report.procedure.empty() ? "nothing" : report.procedure},
          {"target", fmt::format("a change of {} found with {} power",
                                 report.detect > 0 ? plain_percent(report.detect) : "twice the margin",
                                 plain_percent(report.power))}};
}

std::string spread_text(const std::optional<Spread>& spread) {
  return spread ? short_percent(spread->sd) : std::string(unknown);
}

std::string spread_bounds(const std::optional<Spread>& spread) {
  if (!spread) return {};
  return fmt::format("[{}, {}]", short_percent(spread->interval.lo), short_percent(spread->interval.hi));
}

std::string proposal_text(const CalibratedCase& one) {
  if (!one.proposal) return std::string(unknown);
  return fmt::format("{} x {}, {}{}", one.proposal->processes, one.proposal->placements,
                     plain_percent(one.proposal->margin), one.proposal->reaches ? "" : " (wider)");
}

Grid grid_of(const CalibrationReport& report) {
  Grid grid;
  std::vector<std::string> ids;
  for (const CalibratedCase& one : report.cases) ids.push_back(one.case_id);
  const Shared shared = factor_ids(ids);
  grid.shared = shared.pattern;
  grid.label_header = "case";
  grid.columns = {
      {"metric", Align::left, 0, 4, false, false},        {"process sd", Align::decimal, 0, 0, false, false},
      {"95 %", Align::left, 0, 5, true, false},           {"session sd", Align::decimal, 0, 0, false, false},
      {"95 %", Align::left, 0, 5, true, false},           {"used", Align::decimal, 0, 2, false, false},
      {"device sd", Align::decimal, 0, 3, false, false},  {"alarms", Align::right, 0, 2, false, false},
      {"detectable", Align::decimal, 0, 1, false, false}, {"now", Align::left, 0, 1, false, false},
      {"proposed", Align::left, 0, 0, false, false}};
  Section section;
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    const CalibratedCase& one = report.cases[i];
    const bool differs = one.proposal && (one.proposal->processes != one.planned_processes ||
                                          one.proposal->placements != one.planned_placements ||
                                          one.proposal->margin != one.margin);
    section.rows.push_back({shared.labels[i],
                            {{one.metric},
                             {short_percent(one.process.sd)},
                             {spread_bounds(one.process)},
                             {spread_text(one.session)},
                             {spread_bounds(one.session)},
                             {short_percent(one.session_sd)},
                             {spread_text(one.of_devices)},
                             {report.splits > 0 ? fmt::format("{}", one.alarms) : std::string(unknown)},
                             {one.detectable > 0 ? short_percent(one.detectable) : std::string(unknown)},
                             {fmt::format("{} x {}, {}", one.planned_processes, one.planned_placements,
                                          plain_percent(one.margin))},
                             {proposal_text(one), differs ? Paint::strong : Paint::faint}}});
  }
  if (!section.rows.empty()) grid.sections.push_back(std::move(section));
  return grid;
}

constexpr const char* legend =
    "sd of log values in percent. used: what compare takes for sessions, drawn towards 0.1 % while few are "
    "known. "
    "now, proposed: processes x placements, margin; (wider): no number of processes reaches the target, so "
    "the margin "
    "is the least that does";

Json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"sd", number(spread->sd)},
          {"degrees_of_freedom", number(spread->degrees_of_freedom)},
          {"interval", interval_json(spread->interval)}};
}

Json case_json(const CalibratedCase& one) {
  Json json{{"case", one.case_id},
            {"metric", one.metric},
            {"processes", one.processes},
            {"sessions", one.sessions},
            {"devices", one.devices},
            {"process", spread_json(one.process)},
            {"session", spread_json(one.session)},
            {"device", spread_json(one.of_devices)},
            {"session_sd_used", number(one.session_sd)},
            {"device_sd_used", number(one.device_sd)},
            {"alarms", one.alarms},
            {"detectable", positive(one.detectable)},
            {"planned",
             {{"processes", one.planned_processes},
              {"placements", one.planned_placements},
              {"margin", number(one.margin)},
              {"alpha", number(one.alpha)}}},
            {"where", location_json(one.where)}};
  json["proposed"] = nullptr;
  if (one.proposal)
    json["proposed"] = {{"processes", one.proposal->processes},
                        {"placements", one.proposal->placements},
                        {"margin", number(one.proposal->margin)},
                        {"reaches", one.proposal->reaches}};
  return json;
}

std::string json_calibration(const CalibrationReport& report) {
  Json json{{"format", "harness-calibration"},
            {"version", 1},
            {"suite", report.suite},
            {"device", {{"class", report.machine_class}, {"uuid", report.device_uuid}}},
            {"records", report.records},
            {"detect", positive(report.detect)},
            {"power", number(report.power)},
            {"splits", report.splits},
            {"split_processes", report.split_processes},
            {"procedure", report.procedure},
            {"suite_alarms", report.suite_alarms},
            {"alarm_bound", number(report.alarm_bound)},
            {"notes", report.notes},
            {"cases", Json::array()}};
  for (const CalibratedCase& one : report.cases) json["cases"].push_back(case_json(one));
  return dump(json);
}

std::string terminal_calibration(const CalibrationReport& report, const Style& style) {
  const Grid grid = grid_of(report);
  std::string text = fact_lines(facts_of(report), style);
  if (!grid.sections.empty()) text += "\n" + draw(grid, style) + "\n";
  text += painted_lines(wrapped(legend, "  ", style), Paint::faint, style);
  for (const std::string& note : report.notes) text += wrapped(note, "  - ", style);
  return text;
}

std::string markdown_calibration(const CalibrationReport& report) {
  const Grid grid = grid_of(report);
  std::string text =
      "### Calibration of " + markdown_prose(report.suite) + "\n\n" + markdown_facts(facts_of(report));
  if (!grid.sections.empty()) text += "\n" + markdown_table(grid);
  text += "\n" + markdown_prose(legend) + "\n";
  for (const std::string& note : report.notes) text += "- " + markdown_prose(note) + "\n";
  return text;
}

}  // namespace
}  // namespace report

std::string render_calibration(const CalibrationReport& report, Format format, const Style& style) {
  if (format == Format::json) return report::json_calibration(report);
  if (format == Format::markdown) return report::markdown_calibration(report);
  return report::terminal_calibration(report, style);
}

}  // namespace harness
