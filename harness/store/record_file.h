// Record file: a record read from its file, of any size.
#pragma once

#include <filesystem>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// Reads and decodes the file piece by piece, so that its text is never in memory as a whole.
Result<Record> read_record(const std::filesystem::path& path);

}  // namespace harness
