// Record file: a record read from its file, of any size.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/codec.h"

namespace harness {

// Reads and decodes the file piece by piece, so that its text is never in memory as a whole.
Result<Record> read_record(const std::filesystem::path& path);

// A file whose record is read part by part, so that its cases are never in memory as a whole. Anything wrong
// or unusual ends it; read_record() tells.
class RecordParts {
 public:
  explicit RecordParts(const std::filesystem::path& path);

  // The record without its cases; std::nullopt where it must be read as a whole.
  [[nodiscard]] const std::optional<Record>& header() const { return header_; }
  // The next cases; none behind the last ones. std::nullopt where the record must be read as a whole.
  std::optional<std::vector<CaseRecord>> next();

 private:
  bool read();  // a piece; false at the end, or where no more is needed

  std::ifstream in_;
  RecordReader reader_;
  std::optional<Record> header_ = {};
  bool ended_ = false;
};

}  // namespace harness
