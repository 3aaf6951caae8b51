#include <algorithm>

#include "harness/model/results/comparison_fields.h"
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

void write_texts(JsonWriter& json, const auto& facts) {
  json.open_array();
  for (const auto& fact : facts) json.text(words(fact));
  json.close();
}

void write_source(JsonWriter& json, const RecordSource& source) {
  json.open_object();
  json.key("described").text(words(source));
  write_fields(json, Described<RecordSource>::fields, source);
  json.close();
}

void write_waiver_use(JsonWriter& json, const WaiverUse& use) {
  json.open_object();
  write_fields(json, Described<Waiver>::fields, use.waiver);
  write_fields(json, waiver_outcome, use);
  write_texts(json.key("advice"), use.advice);
  json.close();
}

void write_kernel(JsonWriter& json, const KernelChange& change) {
  json.open_object();
  json.key("kernel").text(change.name());
  json.key("what").text(words(change));
  json.key("ratio");
  if (change.ratio() > 0)
    json.number(change.ratio());
  else
    json.null();
  write_fields(json, Described<KernelChange>::fields, change);
  json.close();
}

void write_row(JsonWriter& json, const ComparisonRow& row) {
  json.open_object();
  write_fields(json, Described<ComparisonRow>::fields, row);
  json.key("reason").text(reason_words(row));
  write_json(json.key("advice"), advice_words(row));
  json.key("processes").open_array(JsonLayout::line);
  json.integer(row.baseline.processes).integer(row.current.processes).close();
  json.key("decides").flag(decides(row));
  json.key("kernels").open_array();
  for (const KernelChange& change : row.kernels) write_kernel(json, change);
  json.close().close();
}

void write_policy_facts(JsonWriter& json, const Comparison& comparison) {
  json.open_array();
  for (const PolicyFact& fact : comparison.policy_facts) {
    const PolicyWords told = words(fact, comparison);
    json.open_object(JsonLayout::line).key("name").text(told.name);
    json.key("value").text(told.value).key("source").text(told.source).close();
  }
  json.close();
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

std::string comparison_report(const Comparison& comparison) {
  JsonWriter json;
  json.open_object();
  write_format(json, formats::comparison);
  json.key("verdict").text(name_of(comparison.verdict));
  json.key("exit_code").integer(exit_code(comparison));
  json.key("suite").text(comparison.suite).key("suite_file").text(comparison.suite_file);
  write_source(json.key("baseline"), comparison.baseline);
  write_source(json.key("current"), comparison.current);
  write_json(json.key("policy"), comparison.policy);
  write_texts(json.key("differences"), comparison.differences);
  if (comparison.pairing) json.key("pairing").text(name_of(*comparison.pairing));
  if (!comparison.session.empty()) json.key("session").text(comparison.session);
  write_policy_facts(json.key("policy_facts"), comparison);
  json.key("gates_loosened")
      .integer(std::count_if(comparison.rows.begin(), comparison.rows.end(),
                             [](const ComparisonRow& row) { return row.loosened.has_value(); }));
  json.key("waivers").open_array();
  for (const WaiverUse& use : comparison.waivers) write_waiver_use(json, use);
  json.close();
  write_texts(json.key("remarks"), comparison.remarks);
  write_object(json.key("facts"), comparison_facts, comparison, JsonLayout::lines);
  json.key("cases").open_array();
  for (const ComparisonRow& row : comparison.rows) write_row(json, row);
  json.close().close();
  return json.take() + "\n";
}

std::string draw_json(const Report& report, const Style&) {
  return report.json();
}

}  // namespace harness::report
