#include "harness/store/record_file.h"

#include <optional>
#include <string>
#include <utility>

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

namespace {

std::uintmax_t size_of_file(const std::filesystem::path& path) {
  std::error_code code;
  const bool regular = std::filesystem::is_regular_file(path, code);
  const std::uintmax_t size = regular ? std::filesystem::file_size(path, code) : 0;
  return code ? 0 : size;
}

}  // namespace

RecordParts::RecordParts(const std::filesystem::path& path) : reader_(path.string(), size_of_file(path)) {
  const std::uintmax_t size = size_of_file(path);
  if (size == 0 || size > default_file_limit) return;
  in_.open(path, std::ios::binary);
  while (!header_ && read()) header_ = reader_.header();
}

bool RecordParts::read() {
  char piece[1U << 16U];
  in_.read(piece, sizeof piece);
  return in_.gcount() > 0 && reader_.take({piece, static_cast<std::size_t>(in_.gcount())});
}

std::optional<std::vector<CaseRecord>> RecordParts::next() {
  if (ended_) return std::vector<CaseRecord>{};
  std::vector<CaseRecord> cases = reader_.take_cases();
  while (cases.empty() && read()) cases = reader_.take_cases();
  if (!cases.empty()) return cases;
  ended_ = true;
  std::optional<Record> rest = reader_.finish();
  if (!rest || !in_.eof()) return std::nullopt;
  cases = std::exchange(rest->cases, {});
  if (rest != header_) return std::nullopt;  // some of it stands behind the cases
  return cases;
}

}  // namespace harness
