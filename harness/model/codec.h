// Codec: records and their parts as JSON text and back, by the lists in record_fields.h. No I/O.
// encode(decode(encode(x))) == encode(x).
//
// Decoding checks the version and every field. An error names the source, the JSON path and what was
// expected. Unknown fields are ignored, because a later version may add some.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// A result with its text, so that samples are written once, by the worker, and stored as they came.
struct EncodedResult {
  ProcessResult result;
  std::string text = {};  // encode(result); "" while nobody has written it
};

std::string encode(const Record& record);  // pretty enough to review in a diff: one line a placement
// The same text in pieces of about a megabyte, so that no whole record lies beside its text.
void encode(const Record& record, const std::function<void(std::string_view piece)>& take);
Result<Record> decode_record(std::string_view text, const std::string& source);

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
