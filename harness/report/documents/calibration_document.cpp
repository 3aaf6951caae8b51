#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/model/plan_fields.h"
#include "harness/model/results/summary_fields.h"
#include "harness/report/documents.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/study_words.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

std::vector<std::string> notes_of(const CalibrationReport& report) {
  std::vector<std::string> lines;
  for (const CalibrationNote& note : report.notes) lines.push_back(words(note));
  return lines;
}

}  // namespace
}  // namespace harness::report

namespace harness {

template <>
struct Described<Spread> {
  static constexpr auto fields = list_fields<Spread>(JsonLayout::lines, field("sd", &Spread::sd),
                                                     field("degrees_of_freedom", &Spread::degrees_of_freedom),
                                                     field("interval", &Spread::interval));
};

template <>
struct Described<Proposal> {
  static constexpr auto fields = list_fields<Proposal>(
      JsonLayout::lines, field("processes", &Proposal::processes), field("placements", &Proposal::placements),
      field("margin", &Proposal::margin), field("reaches", &Proposal::reaches));
};

template <>
struct Described<CalibratedCase> {
  using Case = CalibratedCase;
  static constexpr auto planned =
      list_fields<Case>(JsonLayout::lines, field("processes", &Case::planned_processes),
                        field("placements", &Case::planned_placements), field("margin", &Case::margin),
                        field("alpha", &Case::alpha));
  static constexpr auto fields = list_fields<Case>(
      JsonLayout::lines, field("case", &Case::case_id), field("metric", &Case::metric),
      field("processes", &Case::processes), field("sessions", &Case::sessions),
      field("devices", &Case::devices), field("process", &Case::process), field("session", &Case::session),
      field("device", &Case::of_devices), field("session_sd_used", &Case::session_sd),
      field("device_sd_used", &Case::device_sd), field("alarms", &Case::alarms),
      field("detectable", &Case::detectable).null_when_default(), group("planned", planned),
      field("where", &Case::where).null_when_default(), field("proposed", &Case::proposal));
};

template <>
struct Described<CalibrationReport> {
  using Report = CalibrationReport;
  static constexpr auto device = list_fields<Report>(
      JsonLayout::lines, field("class", &Report::machine_class), field("uuid", &Report::device_uuid));
  static constexpr auto fields = list_fields<Report>(
      JsonLayout::lines, field("suite", &Report::suite), group("device", device),
      field("records", &Report::records), field("detect", &Report::detect).null_when_default(),
      field("power", &Report::power), field("splits", &Report::splits),
      field("split_processes", &Report::split_processes), derived("procedure", report::procedure_words),
      field("suite_alarms", &Report::suite_alarms), field("alarm_bound", &Report::alarm_bound),
      derived("notes", report::notes_of), field("cases", &Report::cases));
};

}  // namespace harness

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
  // Where cases have several metrics, a row without its metric says nothing.
  const bool several = std::any_of(report.cases.begin(), report.cases.end(), [&](const CalibratedCase& one) {
    return one.metric != report.cases.front().metric;
  });
  grid.shared = shared.pattern;
  grid.label_header = "case";
  grid.columns = {{"metric", Align::left, 0, several ? 0 : 4, false, false},
                  {"process sd", Align::decimal, 0, 0, false, false},
                  {"95 %", Align::left, 0, 5, true, false},
                  {"session sd", Align::decimal, 0, 0, false, false},
                  {"95 %", Align::left, 0, 5, true, false},
                  {"used", Align::decimal, 0, 2, false, false},
                  {"device sd", Align::decimal, 0, 3, false, false},
                  {"alarms", Align::right, 0, 2, false, false},
                  {"detectable", Align::decimal, 0, 1, false, false},
                  {"now", Align::left, 0, 1, false, false},
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
      "used: the sd between sessions that compare uses. It is shrunk towards 0.05 % while sessions are few.",
      "now, proposed: processes x placements, margin. (wider): no number of processes reaches the target, so "
      "this is the smallest margin that does."};
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
          [&calibration] { return report_json(calibration, formats::calibration); }};
}

std::string calibration_schema() {
  return schema_text(Described<CalibrationReport>::fields, formats::calibration);
}

}  // namespace harness::report
