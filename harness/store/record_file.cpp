#include "harness/store/record_file.h"

#include <optional>
#include <string>

#include "harness/base/files.h"
#include "harness/model/codec.h"

namespace harness {

Result<Record> read_record(const std::filesystem::path& path) {
  std::optional<RecordReader> reader;
  const Status read = read_pieces(
      path, default_file_limit, [&](std::uintmax_t size) { reader.emplace(path.string(), size); },
      [&](std::string_view piece) { return reader->take(piece); });
  if (!read) return fail(read.error());
  if (std::optional<Record> record = reader->finish()) return std::move(*record);
  // Something is wrong or unusual: the whole text tells.
  const Result<std::string> text = read_file(path);
  if (!text) return fail(text.error());
  return decode_record(*text, path.string());
}

}  // namespace harness
