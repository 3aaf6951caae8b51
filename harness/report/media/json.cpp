#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/media/comparison_json.h"
#include "harness/report/media/media.h"
#include "harness/report/media/report_json.h"
#include "harness/report/over_shapes.h"
#include "harness/report/schemas.h"
#include "harness/report/told_text.h"
#include "harness/report/words/cause_words.h"
#include "harness/report/words/note_words.h"
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
    field("build", &Record::build).unless_default(), field("machines", &Record::machines));
static_assert(run_part.size == record_header.size);

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

// The list of a comparison has its own format and version.
std::string comparison_schema() {
  JsonWriter json;
  open_schema(json, formats::comparison);
  write_members_schema(json, comparison_json, nullptr, write_text_schema);
  return close_schema(json);
}

std::string run_schema() {
  JsonWriter json;
  open_schema(json, formats::run_report);
  write_members_schema(json, run_part, &formats::run_report, [](JsonWriter& members) {
    write_list_schema<Summary>(members.key("cases"));
    write_list_schema<SpeedupOverShapes>(members.key("speedups_over_shapes"));
    write_text_schema(members);
  });
  return close_schema(json);
}

std::string comparison_report(const Comparison& comparison) {
  return to_json(comparison_json, comparison, JsonLayout::lines) + "\n";
}

std::string without_commands(std::string text) {
  for (std::size_t at = text.find("##["); at != std::string::npos; at = text.find("##[", at))
    text.replace(at, 1, "\\u0023");
  return text;
}

std::string draw_json(const Report& report, const Style&) {
  return with_text(report.json(), report.document);
}

// No text of a JSON document has a line break of its own, so whole documents can be indented.
std::string draw_json(const std::vector<SuiteReport>& reports, int status) {
  std::string text =
      fmt::format("{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"exit_code\": {},\n  \"reports\": [",
                  formats::reports.name, formats::reports.version, status);
  const char* before = "\n";
  for (const SuiteReport& one : reports) {
    std::string lines = draw_json(one.report, {});
    while (lines.ends_with('\n')) lines.pop_back();
    text += before;
    for (const std::string& line : split(lines, '\n'))
      text += (text.back() == '\n' ? "    " : "\n    ") + line;
    before = ",\n";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace harness::report
