#include "harness/model/json_reader.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>

#include <algorithm>

#include "harness/base/text.h"

namespace harness {
namespace {

// Iterative, because a recursive parser overflows the stack on a megabyte of "[".
constexpr unsigned parse_flags = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag |
                                 rapidjson::kParseValidateEncodingFlag;

std::string_view kind_of(const rapidjson::Value& value) {
  if (value.IsNull()) return "null";
  if (value.IsBool()) return "true or false";
  if (value.IsNumber()) return "a number";
  if (value.IsString()) return "text";
  return value.IsArray() ? "an array" : "an object";
}

Location place(const Location& source, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1);
  return {source.file, std::max(source.line, 1) + static_cast<int>(lines), static_cast<int>(column) + 1};
}

std::string_view view(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

}  // namespace

Result<std::unique_ptr<JsonReader>> JsonReader::parse(std::string_view text, const Location& source) {
  std::unique_ptr<JsonReader> reader(new JsonReader(source));
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // a byte order mark
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return fail(ErrorKind::usage, place(source, text, zero), "is not JSON: a zero byte");
  rapidjson::MemoryStream stream(text.data(), text.size());
  reader->document_.ParseStream<parse_flags, rapidjson::UTF8<>>(stream);
  if (!reader->document_.HasParseError()) return reader;
  const std::string_view what = rapidjson::GetParseError_En(reader->document_.GetParseError());
  return fail(ErrorKind::usage, place(source, text, reader->document_.GetErrorOffset()),
              fmt::format("is not JSON: {}", what));
}

void JsonReader::expect_format(std::string_view format, int version) {
  const JsonNode node = root();
  const JsonNode name = node.require("format");
  if (const std::string found = name.text(); !error_ && found != format)
    name.problem(fmt::format("is `{}`; expected `{}`", printable(found), format));
  const JsonNode number = node.require("version");
  const int found = number.integer<int>();
  if (!error_ && found > version)
    number.problem(fmt::format("is {}; this harness reads version {}", found, version),
                   "use the harness that wrote it, or a newer one");
  else if (!error_ && found != version)
    number.problem(fmt::format("is {}; this harness reads version {}", found, version));
}

JsonNode JsonNode::find(std::string_view name) const {
  JsonNode child(*reader_, this, name, no_index, nullptr);
  if (!expect_object()) return child;
  const auto key = rapidjson::Value(rapidjson::StringRef(name.data(), static_cast<unsigned>(name.size())));
  const auto member = value_->FindMember(key);
  if (member != value_->MemberEnd()) child.value_ = &member->value;
  return child;
}

JsonNode JsonNode::require(std::string_view name) const {
  JsonNode child = find(name);
  if (child.present() || value_ == nullptr || !value_->IsObject() || reader_->error_) return child;
  std::vector<std::string> known;
  for (const auto& member : value_->GetObject()) known.emplace_back(view(member.name));
  const auto near = nearest(name, known);
  problem(fmt::format("has no `{}`{}", name, near ? fmt::format("; is `{}` meant?", printable(*near)) : ""));
  return child;
}

bool JsonNode::ok() const {
  return !reader_->error_;
}

bool JsonNode::expect_object() const {
  if (value_ == nullptr) return false;
  if (!value_->IsObject()) expected("an object");
  return value_->IsObject();
}

std::string JsonNode::text(std::string_view fallback) const {
  if (value_ == nullptr) return std::string(fallback);
  if (value_->IsString()) return std::string(view(*value_));
  expected("text");
  return {};
}

bool JsonNode::flag(bool fallback) const {
  if (value_ == nullptr) return fallback;
  if (value_->IsBool()) return value_->GetBool();
  expected("true or false");
  return fallback;
}

double JsonNode::number(double fallback) const {
  if (value_ == nullptr) return fallback;
  if (value_->IsNumber()) return value_->GetDouble();
  expected("a number");
  return fallback;
}

std::vector<double> JsonNode::numbers() const {
  std::vector<double> out;
  out.reserve(size());
  each_element([&](const JsonNode& element) { out.push_back(element.number()); });
  return out;
}

std::vector<std::string> JsonNode::texts() const {
  std::vector<std::string> out;
  out.reserve(size());
  each_element([&](const JsonNode& element) { out.push_back(element.text()); });
  return out;
}

std::optional<sdk::Value> JsonNode::scalar() const {
  if (value_ == nullptr) return std::nullopt;
  if (value_->IsInt64()) return sdk::Value(std::int64_t{value_->GetInt64()});
  if (value_->IsDouble()) return sdk::Value(value_->GetDouble());
  if (value_->IsBool()) return sdk::Value(value_->GetBool());
  if (value_->IsString()) return sdk::Value(std::string(view(*value_)));
  if (value_->IsUint64())
    problem("is too large for a whole number of 64 bits");
  else
    expected("a number, text, true or false");
  return std::nullopt;
}

std::size_t JsonNode::choice(std::span<const std::string_view> names) const {
  const std::string name = text();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  problem(fmt::format("is `{}`, which is unknown; {}", printable(name), suggestion(name, known)));
  return 0;
}

std::size_t JsonNode::size() const {
  if (value_ == nullptr) return 0;
  return value_->IsArray() ? value_->Size() : value_->IsObject() ? value_->MemberCount() : 0;
}

std::string JsonNode::path() const {
  if (parent_ == nullptr) return {};
  const std::string above = parent_->path();
  if (index_ != no_index) return fmt::format("{}[{}]", above, index_);
  return above.empty() ? printable(key_) : above + "." + printable(key_);
}

void JsonNode::problem(const std::string& what, const std::string& advice) const {
  if (reader_->error_) return;
  const std::string where = path();
  reader_->error_ = Error{ErrorKind::usage, where.empty() ? "the document " + what : where + ": " + what,
                          reader_->source_, advice};
}

void JsonNode::expected(const std::string& type) const {
  if (value_ != nullptr) problem(fmt::format("is {}; expected {}", kind_of(*value_), type));
}

}  // namespace harness
