#include "harness/model/codec.h"

#include "harness/model/record_fields.h"
#include "harness/schema/formats.h"

namespace harness {

std::string encode(const Record& record) {
  return to_json(Described<Record>::fields, record, JsonLayout::lines, &formats::record) + "\n";
}

Result<Record> decode_record(std::string_view text, const std::string& source) {
  Result<Record> record = from_json(Described<Record>::fields, text, source, &formats::record);
  if (!record) return record;
  for (CaseRecord& one : record->cases)
    for (ProcessResult& result : one.processes) result.case_id = one.id;
  return record;
}

std::string encode_header(const Record& record) {
  return to_json(record_header, record, JsonLayout::line, &formats::record);
}

Result<Record> decode_header(std::string_view text, const std::string& source) {
  return from_json(record_header, text, source, &formats::record);
}

std::string encode_case(const CaseRecord& planned) {
  return to_json(planned_part, planned, JsonLayout::line);
}

Result<CaseRecord> decode_case(std::string_view text, const std::string& source) {
  return from_json(planned_part, text, source);
}

std::string encode(const ProcessResult& result) {
  return to_json(Described<ProcessResult>::fields, result, JsonLayout::line);
}

Result<ProcessResult> decode_process_result(std::string_view text, const std::string& source) {
  return from_json(Described<ProcessResult>::fields, text, source);
}

std::string encode(const Machine& machine) {
  return to_json(Described<Machine>::fields, machine, JsonLayout::line);
}

Result<Machine> decode_machine(std::string_view text, const std::string& source) {
  return from_json(Described<Machine>::fields, text, source);
}

}  // namespace harness
