#include "harness/model/codec.h"

#include "harness/model/record_fields.h"
#include "harness/schema/formats.h"

namespace harness {
namespace {

template <class List>
std::string encode_line(const List& list, const typename List::Struct& value) {
  JsonWriter json;
  write_object(json, list, value, JsonLayout::line);
  return json.take();
}

// A record, or its header, with its format in front.
template <class List>
std::string encode_document(const List& list, const Record& record, JsonLayout layout) {
  JsonWriter json;
  json.open_object(layout);
  write_format(json, formats::record);
  write_fields(json, list, record);
  json.close();
  return json.take();
}

template <class List>
Result<typename List::Struct> decode(const List& list, std::string_view text, const std::string& source,
                                     const DocumentFormat* format = nullptr) {
  auto reader = JsonReader::parse(text, {source});
  if (!reader) return fail(reader.error());
  if (format != nullptr) (*reader)->expect_format(*format);
  typename List::Struct value;
  read_fields((*reader)->root(), list, value);
  return (*reader)->finish(std::move(value));
}

}  // namespace

std::string encode(const Record& record) {
  return encode_document(Described<Record>::fields, record, JsonLayout::lines) + "\n";
}

Result<Record> decode_record(std::string_view text, const std::string& source) {
  Result<Record> record = decode(Described<Record>::fields, text, source, &formats::record);
  if (!record) return record;
  for (CaseRecord& one : record->cases)
    for (ProcessResult& result : one.processes) result.case_id = one.id;
  return record;
}

std::string encode_header(const Record& record) {
  return encode_document(record_header, record, JsonLayout::line);
}

Result<Record> decode_header(std::string_view text, const std::string& source) {
  return decode(record_header, text, source, &formats::record);
}

std::string encode_case(const CaseRecord& planned) {
  return encode_line(planned_part, planned);
}

Result<CaseRecord> decode_case(std::string_view text, const std::string& source) {
  return decode(planned_part, text, source);
}

std::string encode(const ProcessResult& result) {
  return encode_line(Described<ProcessResult>::fields, result);
}

Result<ProcessResult> decode_process_result(std::string_view text, const std::string& source) {
  return decode(Described<ProcessResult>::fields, text, source);
}

std::string encode(const Machine& machine) {
  return encode_line(Described<Machine>::fields, machine);
}

Result<Machine> decode_machine(std::string_view text, const std::string& source) {
  return decode(Described<Machine>::fields, text, source);
}

}  // namespace harness
