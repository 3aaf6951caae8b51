#include "harness/schema/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "harness/base/text.h"

namespace harness {

JsonWriter& JsonWriter::open(char opener, char closer, JsonLayout layout) {
  separate();
  if (!levels_.empty() && levels_.back().layout == JsonLayout::line) layout = JsonLayout::line;
  out_ += opener;
  levels_.push_back({closer, layout});
  return *this;
}

JsonWriter& JsonWriter::close() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == JsonLayout::lines && !level.empty) line_break();
  out_ += level.closer;
  return *this;
}

void JsonWriter::line_break() {
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.layout == JsonLayout::line ? ", " : ",";
  level.empty = false;
  if (level.layout == JsonLayout::lines) line_break();
}

namespace {

// Written as it is.
constexpr bool is_plain(char one) {
  return one >= 0x20 && one < 0x7F && one != '"' && one != '\\';
}

}  // namespace

void JsonWriter::quote(std::string_view value) {
  static constexpr std::string_view hex = "0123456789abcdef";
  out_ += '"';
  for (std::size_t i = 0; i < value.size();) {
    const std::size_t begin = i;
    while (i < value.size() && is_plain(value[i])) ++i;
    out_ += value.substr(begin, i - begin);
    if (i == value.size()) break;
    const auto c = static_cast<unsigned char>(value[i]);
    const std::size_t length = utf8_length(value.substr(i));
    if (length == 0)
      out_ += "\xEF\xBF\xBD";
    else if (c == '"' || c == '\\')
      (out_ += '\\') += static_cast<char>(c);
    else if (c == '\n')
      out_ += "\\n";
    else if (c == '\t')
      out_ += "\\t";
    else if (c < 0x20 || c == 0x7F)
      ((out_ += "\\u00") += hex[c >> 4U]) += hex[c & 0xFU];
    else
      out_ += value.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  out_ += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  quote(value);
  return *this;
}

JsonWriter& JsonWriter::flag(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  if (value == 0 && std::signbit(value)) return real(value);  // "-0" would read back as integer 0
  separate();
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out_.append(buffer.data(), end);
  return *this;
}

JsonWriter& JsonWriter::real(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  out_ += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  return *this;
}

}  // namespace harness
