#include "harness/model/codec.h"

#include <algorithm>
#include <optional>

#include "harness/model/record_fields.h"
#include "harness/schema/formats.h"
#include "harness/schema/split_document.h"

namespace harness {

namespace {

constexpr std::size_t piece_size = 1U << 20U;

Result<Record> decode_at_once(std::string_view text, const std::string& source) {
  return from_json(Described<Record>::fields, text, source, &formats::record);
}

// The record without its cases and then each case, so that the parsed form of one case is in memory at a
// time. std::nullopt where anything is wrong or unusual.
std::optional<Record> decode_by_case(std::string_view text, const std::string& source) {
  const std::optional<SplitDocument> split = split_members(text, "cases");
  if (!split) return std::nullopt;
  Result<Record> record = from_json(record_header, split->rest, source, &formats::record);
  if (!record) return std::nullopt;
  std::vector<std::size_t> ids;
  ids.reserve(split->elements.size());
  record->cases.reserve(split->elements.size());
  for (const std::string_view element : split->elements) {
    Result<CaseRecord> one = from_json(Described<CaseRecord>::fields, element, source);
    if (!one) return std::nullopt;
    ids.push_back(std::hash<std::string>()(one->id));
    record->cases.push_back(std::move(*one));
  }
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) return std::nullopt;
  return std::move(*record);
}

}  // namespace

std::string encode(const Record& record) {
  std::string text;
  encode(record, [&](std::string_view piece) { text += piece; });
  return text;
}

void encode(const Record& record, const std::function<void(std::string_view piece)>& take) {
  JsonWriter json;
  json.open_object();
  write_format(json, formats::record);
  write_fields(json, record_header, record);
  json.key("cases").open_array();
  for (const CaseRecord& one : record.cases) {
    write_json(json, one);
    if (json.size() >= piece_size) take(json.take());
  }
  json.close().close();
  take(json.take() + "\n");
}

Result<Record> decode_record(std::string_view text, const std::string& source) {
  std::optional<Record> by_case = decode_by_case(text, source);
  // Errors have the paths of the whole text.
  Result<Record> record = by_case ? Result<Record>(std::move(*by_case)) : decode_at_once(text, source);
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
