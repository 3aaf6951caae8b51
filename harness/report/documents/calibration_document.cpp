#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/documents.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/json_parts.h"
#include "harness/report/numbers.h"
#include "harness/report/words/study_words.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

NamedTexts facts_of(const CalibrationReport& report) {
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
          {"compared", report.splits == 0 ? "nothing" : procedure_words(report)},
          {"target", fmt::format("a change of {} found with {} power",
                                 report.detect > 0 ? plain_percent(report.detect) : "twice the margin",
                                 plain_percent(report.power))}};
}

std::vector<std::string> notes_of(const CalibrationReport& report) {
  std::vector<std::string> lines;
  for (const CalibrationNote& note : report.notes) lines.push_back(words(note));
  return lines;
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
                             {proposal_text(one), differs ? Paint::strong : Paint::faint}},
                            one.case_id});
  }
  if (!section.rows.empty()) grid.sections.push_back(std::move(section));
  return grid;
}

std::vector<std::string> legend() {
  return {
      "sd of log values in percent.",
      "used: the sd between sessions that compare uses. It is shrunk towards 0.1 % while sessions are few.",
      "now, proposed: processes x placements, margin. (wider): no number of processes reaches the target, so "
      "this is the smallest margin that does."};
}

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
  Json json{{"format", formats::calibration.name},
            {"version", formats::calibration.version},
            {"suite", report.suite},
            {"device", {{"class", report.machine_class}, {"uuid", report.device_uuid}}},
            {"records", report.records},
            {"detect", positive(report.detect)},
            {"power", number(report.power)},
            {"splits", report.splits},
            {"split_processes", report.split_processes},
            {"procedure", procedure_words(report)},
            {"suite_alarms", report.suite_alarms},
            {"alarm_bound", number(report.alarm_bound)},
            {"notes", notes_of(report)},
            {"cases", Json::array()}};
  for (const CalibratedCase& one : report.cases) json["cases"].push_back(case_json(one));
  return dump(json);
}

CiView ci_of(const CalibrationReport& report, const std::string& headline) {
  CiView view{report.suite};
  for (const CalibratedCase& one : report.cases) {
    CiCase shown{one.case_id + " " + one.metric, one.where, CiState::passed, "calibrated"};
    shown.output = fmt::format("process sd {}, session sd {}; proposed {}", short_percent(one.process.sd),
                               spread_text(one.session), proposal_text(one));
    view.cases.push_back(std::move(shown));
  }
  view.alerts.push_back({Alarm::notice, headline, join(notes_of(report), "\n")});
  view.output = notes_of(report);
  return view;
}

}  // namespace

Report calibration_document(const CalibrationReport& calibration) {
  Document document;
  document.headline = document.title = "Calibration of " + calibration.suite;
  document.facts = facts_of(calibration);
  document.blocks = {
      {Table{"", grid_of(calibration)}}, {Prose{legend()}}, {List{"notes", notes_of(calibration)}}};
  const std::string headline = document.headline;
  return {std::move(document), [&calibration, headline] { return ci_of(calibration, headline); },
          [&calibration] { return json_calibration(calibration); }};
}

}  // namespace harness::report
