#include "harness/report/schemas.h"

namespace harness::report {

void open_schema(JsonWriter& json, const DocumentFormat& format) {
  json.open_object();
  json.key("$schema").text("http://json-schema.org/draft-04/schema#");
  json.key("title").text(format.name);
  json.key("type").text("object");
}

std::string close_schema(JsonWriter& json) {
  json.close();
  return json.take() + "\n";
}

void write_text_schema(JsonWriter& json) {
  json.key("text").open_object().key("type").text("object").key("properties").open_object();
  write_schema<std::string>(json.key("headline"));
  json.key("facts").open_object().key("type").text("array").key("items").open_object();
  json.key("type").text("object").key("properties").open_object();
  write_schema<std::string>(json.key("name"));
  write_schema<std::string>(json.key("value"));
  json.close().close().close();
  for (const char* lines : {"lines", "next_steps"}) write_list_schema<std::string>(json.key(lines));
  write_schema<std::string>(json.key("exit_meaning"));
  json.close().close();
}

std::vector<ReportSchema> report_schemas() {
  const auto of = [](const DocumentFormat& format, std::string text) {
    return ReportSchema{std::string(format.name), std::move(text)};
  };
  return {of(formats::affected, affected_schema()),
          of(formats::bisect, bisect_schema()),
          of(formats::calibration, calibration_schema()),
          of(formats::claims, claims_schema()),
          of(formats::comparison, comparison_schema()),
          of(formats::doctor, doctor_schema()),
          of(formats::explanation, explanation_schema()),
          of(formats::farm, farm_schema()),
          of(formats::history, history_schema()),
          of(formats::plan, plan_schema()),
          of(formats::records, records_schema()),
          of(formats::referee, referee_schema()),
          of(formats::run_report, run_schema()),
          of(formats::selftest, selftest_schema()),
          of(formats::table, table_schema()),
          of(formats::trace, trace_schema()),
          of(formats::tuning, tuning_schema()),
          of(formats::unfinished, unfinished_schema())};
}

}  // namespace harness::report
