// JSON Schemas of the reports, made from the same lists of fields as the reports themselves. The files of
// schemas/ hold them; a test writes these anew, and checks the reports by them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/json_schema.h"
#include "harness/schema/formats.h"

namespace harness::report {

// A schema begins and ends alike for all formats: open_schema(), properties and what is required,
// close_schema().
void open_schema(JsonWriter& json, const DocumentFormat& format);
std::string close_schema(JsonWriter& json);

// The member `text` of every report (told_text.h).
void write_text_schema(JsonWriter& json);

template <class List>
std::string schema_text(const List& list, const DocumentFormat& format) {
  JsonWriter json;
  open_schema(json, format);
  write_members_schema(json, list, &format, write_text_schema);
  return close_schema(json);
}

// One a report, in its file.
std::string affected_schema();
std::string bisect_schema();
std::string calibration_schema();
std::string claims_schema();
std::string comparison_schema();
std::string doctor_schema();
std::string explanation_schema();
std::string farm_schema();
std::string history_schema();
std::string plan_schema();
std::string records_schema();
std::string referee_schema();
std::string run_schema();
std::string selftest_schema();
std::string table_schema();
std::string trace_schema();
std::string tuning_schema();
std::string unfinished_schema();

struct ReportSchema {
  std::string format;  // its name
  std::string text;
};
std::vector<ReportSchema> report_schemas();

}  // namespace harness::report
