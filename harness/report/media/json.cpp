#include <algorithm>
#include <array>

#include "harness/model/results/summary_fields.h"
#include "harness/report/media/json_parts.h"
#include "harness/report/media/media.h"
#include "harness/report/over_shapes.h"
#include "harness/report/words/cause_words.h"
#include "harness/report/words/kernel_words.h"
#include "harness/report/words/note_words.h"
#include "harness/report/words/policy_words.h"
#include "harness/report/words/reason_words.h"
#include "harness/report/words/source_words.h"
#include "harness/report/words/summary_words.h"
#include "harness/schema/formats.h"

namespace harness {

template <>
struct Described<report::Ratio> {
  static constexpr auto fields =
      list_fields<report::Ratio>(JsonLayout::line, field("ratio", &report::Ratio::value),
                                 field("interval", &report::Ratio::interval).null_when_default(),
                                 field("case", &report::Ratio::case_id).unless_default());
};

template <>
struct Described<report::SpeedupOverShapes> {
  using Row = report::SpeedupOverShapes;
  static constexpr auto fields = list_fields<Row>(
      JsonLayout::lines, field("workload", &Row::workload), field("variant", &Row::variant),
      field("reference", &Row::reference), field("metric", &Row::metric), field("tags", &Row::tags),
      field("shapes", &Row::shapes), field("confidence", &Row::confidence),
      field("geometric_mean", &Row::geometric_mean), field("arithmetic_mean", &Row::arithmetic_mean),
      field("median", &Row::median), field("min", &Row::least), field("max", &Row::most));
};

}  // namespace harness

namespace harness::report {
namespace {

// A run report's part about its record: all but the cases.
constexpr auto run_part = list_fields<Record>(
    JsonLayout::lines, field("record", &Record::id), field("tool", &Record::tool),
    field("suite", &Record::suite), field("revision", &Record::revision), field("started", &Record::started),
    field("finished", &Record::finished).null_when_default(), field("estimator", &Record::estimator),
    field("promotion", &Record::promotion).null_when_default(),
    field("partial", &Record::partial).unless_default(),
    field("calibration", &Record::calibration).unless_default(),
    field("pairing", &Record::pairing).unless_default(), field("session", &Record::session).unless_default(),
    field("machines", &Record::machines));
static_assert(run_part.size == record_header.size);

Json source_json(const RecordSource& source) {
  return {{"id", source.id},
          {"described", words(source)},
          {"found", fact_json(source.found)},
          {"revision", revision_json(source.revision)},
          {"device", source.device},
          {"distance", source.distance}};
}

Json learned_json(const std::vector<LearnedSpread>& spreads) {
  Json json = Json::array();
  for (const LearnedSpread& spread : spreads)
    json.push_back({{"case", spread.case_id},
                    {"metric", spread.metric},
                    {"session_sd", number(spread.session_sd)},
                    {"device_sd", number(spread.device_sd)},
                    {"sessions", spread.sessions},
                    {"devices", spread.devices}});
  return json;
}

Json policy_json(const Policy& policy) {
  return {{"margin", number(policy.margin)},
          {"alpha", number(policy.alpha)},
          {"allow_inconclusive", policy.allow_inconclusive},
          {"allow_missing", policy.allow_missing},
          {"allow_not_comparable", policy.allow_not_comparable},
          {"allow_other_device", policy.allow_other_device},
          {"session_sd", number(policy.session_sd)},
          {"device_sd", number(policy.device_sd)},
          {"learned", learned_json(policy.learned)},
          {"min_processes", policy.min_processes},
          {"min_shared_processes", policy.min_shared_processes},
          {"fail_on_improved", policy.fail_on_improved},
          {"waivers_file", policy.waivers_file.empty() ? Json(nullptr) : Json(policy.waivers_file)},
          {"today", policy.today.empty() ? Json(nullptr) : Json(policy.today)}};
}

Json waiver_json(const Waiver& waiver) {
  return {{"pattern", waiver.pattern},
          {"metric", waiver.metric.empty() ? Json(nullptr) : Json(waiver.metric)},
          {"ceiling", number(waiver.ceiling)},
          {"expires", waiver.expires},
          {"reason", waiver.reason},
          {"issue", waiver.issue.empty() ? Json(nullptr) : Json(waiver.issue)},
          {"where", location_json(waiver.where)}};
}

Json waiver_use_json(const WaiverUse& use) {
  Json json = waiver_json(use.waiver);
  json["state"] = std::string(name_of(use.state));
  json["waived"] = use.waived;
  json["refused"] = use.refused;
  json["advice"] = Json::array();
  for (const WaiverAdvice& one : use.advice) json["advice"].push_back(words(one));
  return json;
}

Json kernel_json(const KernelChange& change) {
  return {{"kernel", change.name()},
          {"change", std::string(name_of(change.kind))},
          {"ratio", positive(change.ratio())},
          {"what", words(change)}};
}

Json side_json(const Side& side) {
  Json values = Json::array();
  for (const double value : side.process_values) values.push_back(number(value));
  return {{"processes", side.processes},
          {"center", side.processes > 0 ? number(side.center) : Json(nullptr)},
          {"process_sd", side.processes > 1 ? number(side.process_sd) : Json(nullptr)},
          {"outlier_rate", side.processes > 0 ? number(side.outlier_rate) : Json(nullptr)},
          {"process_values", std::move(values)}};
}

// null where the gate declared no looks.
Json look_json(const ComparisonRow& row) {
  if (row.look.declared.empty()) return nullptr;
  return {{"number", row.look.number},
          {"declared", row.look.declared},
          {"next", row.look.next ? Json(*row.look.next) : Json(nullptr)}};
}

Json row_json(const ComparisonRow& row) {
  Json json{{"case", row.case_id},
            {"metric", row.metric},
            {"verdict", std::string(name_of(row.verdict))},
            {"ratio", positive(row.ratio)},
            {"interval", interval_json(row.interval)},
            {"p", number(row.p)},
            {"p_adjusted", number(row.p_adjusted)},
            {"processes", {row.baseline.processes, row.current.processes}},
            {"margin", number(row.margin)},
            {"alpha", number(row.alpha)},
            {"minimum_detectable", number(row.minimum_detectable)},
            {"reason", reason_words(row)},
            {"advice", advice_words(row)}};
  json["reason_code"] = std::string(name_of(row.reason.code));
  json["diagnostics"] = Json::array();
  for (const Diagnostic& one : row.diagnostics) json["diagnostics"].push_back(fact_json(one));
  json["unit"] = row.unit;
  json["direction"] = std::string(name_of(row.direction));
  json["degrees_of_freedom"] = positive(row.degrees_of_freedom);
  json["p_improved"] = number(row.p_improved);
  json["p_improved_adjusted"] = number(row.p_improved_adjusted);
  json["processes_needed"] = row.processes_needed ? Json(*row.processes_needed) : Json(nullptr);
  json["look"] = look_json(row);
  json["baseline"] = side_json(row.baseline);
  json["current"] = side_json(row.current);
  json["where"] = location_json(row.where);
  json["decides"] = decides(row);
  json["informative"] = row.informative;
  json["loosened"] = nullptr;
  if (row.loosened)
    json["loosened"] = {{"margin", number(row.loosened->margin)},
                        {"alpha", number(row.loosened->alpha)},
                        {"regressed", row.loosened->regressed}};
  json["exact"] = row.exact;
  json["waiver"] = row.waiver ? waiver_json(*row.waiver) : Json(nullptr);
  json["kernels"] = Json::array();
  for (const KernelChange& change : row.kernels) json["kernels"].push_back(kernel_json(change));
  return json;
}

// Reasons and notes as sentences, for the page and for scripts that show them.
std::vector<Summary> in_words(std::vector<Summary> summaries) {
  for (Summary& summary : summaries) {
    summary.reason = told_cause(summary.reason ? words(*summary.reason) : "");
    std::vector<std::string> lines = note_words(summary);
    summary.notes.clear();
    for (std::string& line : lines) summary.notes.push_back(told_note(std::move(line)));
  }
  return summaries;
}

}  // namespace

std::string run_report(const Record& record, const std::vector<Summary>& summaries) {
  JsonWriter json;
  json.open_object();
  write_format(json, formats::run_report);
  write_fields(json, run_part, record);
  write_json(json.key("cases"), in_words(summaries));
  write_json(json.key("speedups_over_shapes"), speedups_over_shapes(record, summaries));
  json.close();
  return json.take() + "\n";
}

Json comparison_json(const Comparison& comparison) {
  Json json{{"format", formats::comparison.name},
            {"version", formats::comparison.version},
            {"verdict", std::string(name_of(comparison.verdict))},
            {"exit_code", exit_code(comparison)},
            {"suite", comparison.suite},
            {"suite_file", comparison.suite_file},
            {"baseline", source_json(comparison.baseline)},
            {"current", source_json(comparison.current)},
            {"policy", policy_json(comparison.policy)},
            {"differences", Json::array()}};
  for (const MachineDifference& one : comparison.differences) json["differences"].push_back(words(one));
  if (comparison.pairing) json["pairing"] = std::string(name_of(*comparison.pairing));
  if (!comparison.session.empty()) json["session"] = comparison.session;
  json["policy_facts"] = Json::array();
  for (const PolicyFact& fact : comparison.policy_facts) {
    const PolicyWords told = words(fact, comparison);
    json["policy_facts"].push_back({{"name", told.name}, {"value", told.value}, {"source", told.source}});
  }
  json["gates_loosened"] = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                         [](const ComparisonRow& row) { return row.loosened.has_value(); });
  json["waivers"] = Json::array();
  for (const WaiverUse& use : comparison.waivers) json["waivers"].push_back(waiver_use_json(use));
  json["remarks"] = Json::array();
  for (const Remark& one : comparison.remarks) json["remarks"].push_back(words(one));
  json["cases"] = Json::array();
  for (const ComparisonRow& row : comparison.rows) json["cases"].push_back(row_json(row));
  return json;
}

std::string draw_json(const Report& report, const Style&) {
  return report.json();
}

}  // namespace harness::report
