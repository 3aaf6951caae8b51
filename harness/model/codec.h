// Codec: records and their parts as JSON text and back, by the lists in record_fields.h. No I/O.
// encode(decode(encode(x))) == encode(x).
//
// Decoding checks the version and every field. An error names the source, the JSON path and what was
// expected. Unknown fields are ignored, because a later version may add some.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/schema/split_document.h"

namespace harness {

// A result with its text, so that samples are written once, by the worker, and stored as they came.
struct EncodedResult {
  ProcessResult result;
  std::string text = {};  // encode(result); "" while nobody has written it
};

std::string encode(const Record& record);  // pretty enough to review in a diff: one line a placement
// The same text in pieces, so that no whole record lies beside its text.
void encode(const Record& record, const std::function<void(std::string_view piece)>& take);
Result<Record> decode_record(std::string_view text, const std::string& source);

// Reads a record from a text that comes in pieces, which is never in memory as a whole.
class RecordReader {
 public:
  // `size`: of the whole text, as far as it is known.
  RecordReader(std::string source, std::uintmax_t size);
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;
  ~RecordReader() = default;

  // False: no more pieces are needed, and finish() has no record.
  bool take(std::string_view piece) { return splitter_.take(piece); }
  // std::nullopt where anything is wrong or unusual: decode_record() with the whole text tells.
  std::optional<Record> finish();

  // The record without its cases, while these are read.
  [[nodiscard]] std::optional<Record> header() const;
  // Gives out the cases that were read so far; finish() has only later ones.
  std::vector<CaseRecord> take_cases() { return std::exchange(cases_, {}); }

 private:
  bool add(std::span<const std::string_view> texts);
  void reserve(std::size_t count);

  std::string source_;
  std::uintmax_t size_;
  std::uintmax_t read_ = 0;  // bytes of cases
  std::vector<CaseRecord> cases_ = {};
  std::vector<std::size_t> ids_ = {};  // hashes
  DocumentSplitter splitter_;
};

// A record's header (everything but `cases`), one line; what the store keeps beside results.
std::string encode_header(const Record& record);
Result<Record> decode_header(std::string_view text, const std::string& source);

// The plan of one case (everything but results), one line.
std::string encode_case(const CaseRecord& planned);
Result<CaseRecord> decode_case(std::string_view text, const std::string& source);

// One worker's result for one case, one line: the worker protocol's payload and the store's row.
std::string encode(const ProcessResult& result);
Result<ProcessResult> decode_process_result(std::string_view text, const std::string& source);

std::string encode(const Machine& machine);
Result<Machine> decode_machine(std::string_view text, const std::string& source);

}  // namespace harness
