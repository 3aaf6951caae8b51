#include "harness/model/codec.h"

#include <algorithm>
#include <atomic>

#include "harness/base/parallel.h"
#include "harness/model/pin/pin_codec.h"
#include "harness/model/record_fields.h"
#include "harness/schema/formats.h"

namespace harness {

namespace {

constexpr std::size_t piece_size = 1U << 20U;

constexpr std::size_t cases_a_part = 64;   // taken by a thread at a time
constexpr std::size_t parts_a_round = 64;  // written before their text is given out

// Reads cases of one record. Most have the gate and the sampling of the case before, in the same words; then
// these are not read again.
class CaseTexts {
 public:
  explicit CaseTexts(const std::string& source) : source_(source) {}

  // False: something is wrong with the text.
  bool read(std::string_view text, CaseRecord& one) {
    const std::size_t begin = shared_.empty() ? text.npos : begin_of_member(text, "gate");
    if (begin != text.npos && text.substr(begin, shared_.size()) == shared_)
      return read_others(text, begin, one);
    if (!read_text(Described<CaseRecord>::fields, text, source_, one)) return false;
    shared_ = two_members(text, "gate", "sampling");
    gate_ = one.gate;
    sampling_ = one.sampling;
    return true;
  }

 private:
  bool read_others(std::string_view text, std::size_t begin, CaseRecord& one) {
    others_.assign(text.substr(0, begin)).append(text.substr(begin + shared_.size()));
    const auto reader = JsonReader::parse(others_, {source_});
    if (!reader) return false;
    const JsonNode root = (*reader)->root();
    if (root.find("gate").present() || root.find("sampling").present()) return false;  // twice
    read_fields(root, Described<CaseRecord>::fields, one);
    one.gate = gate_;
    one.sampling = sampling_;
    return !(*reader)->error();
  }

  const std::string& source_;
  std::string shared_ = {};  // the text of both members, of the case before
  std::string others_ = {};
  Gate gate_ = {};
  Sampling sampling_ = {};
};

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
  std::span<const CaseRecord> left = record.cases;
  if (!left.empty()) write_json(json, left.front());
  take(json.take());
  if (!left.empty()) left = left.subspan(1);
  while (!left.empty()) {
    const std::span<const CaseRecord> now = left.first(std::min(left.size(), parts_a_round * cases_a_part));
    std::vector<std::string> parts((now.size() + cases_a_part - 1) / cases_a_part);
    for_each_index(parts.size(), 0, [&](std::size_t part) {
      JsonWriter behind_others = json;
      const std::span<const CaseRecord> cases = now.subspan(part * cases_a_part);
      for (const CaseRecord& one : cases.first(std::min(cases.size(), cases_a_part)))
        write_json(behind_others, one);
      parts[part] = behind_others.take();
    });
    for (const std::string& part : parts) take(part);
    left = left.subspan(now.size());
  }
  json.close().close();
  take(json.take() + "\n");
}

RecordReader::RecordReader(std::string source, std::uintmax_t size)
    : source_(std::move(source)),
      size_(size),
      splitter_("cases", [this](std::span<const std::string_view> cases) { return add(cases); }) {}

// Cases do not depend on each other, so several threads read them.
bool RecordReader::add(std::span<const std::string_view> texts) {
  const std::size_t first = cases_.size(), first_id = ids_.size();
  for (const std::string_view text : texts) read_ += text.size();
  if (first_id == 0) reserve(texts.size());
  cases_.resize(first + texts.size());
  ids_.resize(first_id + texts.size());
  std::atomic<bool> good = true;
  for_each_index((texts.size() + cases_a_part - 1) / cases_a_part, 0, [&](std::size_t part) {
    const std::size_t begin = part * cases_a_part, end = std::min(begin + cases_a_part, texts.size());
    CaseTexts reader(source_);
    for (std::size_t i = begin; i < end && good; ++i) {
      CaseRecord& one = cases_[first + i];
      if (!reader.read(texts[i], one)) {
        good = false;
        return;
      }
      for (ProcessResult& result : one.processes) result.case_id = one.id;
      ids_[first_id + i] = std::hash<std::string>()(one.id);
    }
  });
  return good;
}

// Room for all cases, if the others are as long as the first ones. A list that grows is copied.
void RecordReader::reserve(std::size_t count) {
  const double mean = static_cast<double>(read_) / static_cast<double>(count);
  const auto all = static_cast<std::size_t>(1.02 * static_cast<double>(size_) / mean) + count;
  cases_.reserve(all);
  ids_.reserve(all);
}

std::optional<Record> RecordReader::header() const {
  const std::string text = splitter_.beginning();
  if (text.empty()) return std::nullopt;
  Result<Record> record = from_json(record_header, text, source_, &formats::record);
  if (!record) return std::nullopt;
  return std::move(*record);
}

std::optional<Record> RecordReader::finish() {
  const std::optional<std::string> rest = splitter_.finish();
  if (!rest) return std::nullopt;
  Result<Record> record = from_json(record_header, *rest, source_, &formats::record);
  if (!record) return std::nullopt;
  std::sort(ids_.begin(), ids_.end());
  if (std::adjacent_find(ids_.begin(), ids_.end()) != ids_.end()) return std::nullopt;
  record->cases = std::move(cases_);
  return std::move(*record);
}

Result<Record> decode_record(std::string_view text, const std::string& source) {
  if (is_pin(text)) return decode_pin(text, source);
  RecordReader reader(source, text.size());
  for (std::string_view left = text; !left.empty(); left.remove_prefix(std::min(left.size(), piece_size)))
    if (!reader.take(left.substr(0, piece_size))) break;
  if (std::optional<Record> record = reader.finish()) return std::move(*record);
  // Errors have the paths of the whole text.
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
