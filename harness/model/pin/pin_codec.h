// Pin codec: a record as the text of a pinned baseline and back (README.md). It has
// what cases or processes have in common once, and a line a process, so that a diff shows what changed. No
// I/O. decode_pin(encode_pin(x)) == x for any record; without_samples() makes it short (figures.h).
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

std::string encode_pin(const Record& record);

// An error names the source, the JSON path and what was expected.
Result<Record> decode_pin(std::string_view text, const std::string& source);

// Whether the text says that it is a pin, in its first members.
bool is_pin(std::string_view text);

}  // namespace harness
