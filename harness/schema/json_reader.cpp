#include "harness/schema/json_reader.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/base/text.h"

namespace harness {
namespace {

// Iterative, because a recursive parser overflows the stack on a megabyte of "[". Numbers arrive as
// text, because RapidJSON's exact conversion of doubles shifts by undefined amounts on "0e300". Strings stay
// where they are, in a copy of the text.
constexpr unsigned parse_flags =
    rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseInsituFlag;

// RapidJSON looks at 16 characters at a time.
constexpr std::size_t behind_text = 16;

// No document of the harness or of another tool comes near it, and a message of brackets alone takes no
// memory.
constexpr std::size_t deepest = 256;

// The names in the objects around the place that is read, as hashes.
class OpenNames {
 public:
  // Keeps its memory, because a text is often one of very many.
  void restart() { depth_ = 0; }
  void open() {
    if (++depth_ > names_.size()) names_.emplace_back();
    names_[depth_ - 1].few.clear();
    if (!names_[depth_ - 1].many.empty()) names_[depth_ - 1].many.clear();
  }
  void close() { --depth_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // False: the innermost object has it already.
  bool add(std::string_view name) {
    auto& [few, many] = names_[depth_ - 1];
    const std::size_t hash = std::hash<std::string_view>()(name);
    if (!many.empty()) return many.insert(hash).second;
    if (std::find(few.begin(), few.end(), hash) != few.end()) return false;
    few.push_back(hash);
    if (few.size() > most_few) many.insert(few.begin(), few.end());
    return true;
  }

 private:
  static constexpr std::size_t most_few = 64;  // that are searched one after the other
  struct Names {
    std::vector<std::size_t> few;
    std::unordered_set<std::size_t> many;
  };
  std::vector<Names> names_;
  std::size_t depth_ = 0;
};

// Builds a document from parser events, with numbers converted by the standard library: exact, and
// whole numbers of 64 bits stay whole. A number beyond the range of a double ends parsing.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
 public:
  Builder(JsonDocument& document, OpenNames& open) : document_(document), open_(open) { open_.restart(); }

  bool RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    const char* end = text + length;
    std::int64_t whole = 0;
    if (const auto [last, code] = std::from_chars(text, end, whole); last == end) {
      if (code == std::errc{}) return document_.Int64(whole);
      std::uint64_t large = 0;
      if (*text != '-' && std::from_chars(text, end, large).ec == std::errc{}) return document_.Uint64(large);
    }
    double real = 0;
    const auto [last, code] = std::from_chars(text, end, real);
    // Out of range is also what is too small, which is zero to a double.
    if (code == std::errc::result_out_of_range) real = std::strtod(std::string(text, end).c_str(), nullptr);
    if (std::isfinite(real) && code != std::errc::invalid_argument) return document_.Double(real);
    const std::string_view word(text, length);
    if (word.ends_with("NaN")) return document_.Double(std::numeric_limits<double>::quiet_NaN());
    if (word.ends_with("Inf") || word.ends_with("Infinity"))
      return document_.Double(std::numeric_limits<double>::infinity() * (word.starts_with('-') ? -1 : 1));
    return stop("Number too big to be stored in double.");
  }
  bool Null() { return document_.Null(); }
  bool Bool(bool value) { return document_.Bool(value); }
  bool String(const char* text, rapidjson::SizeType length, bool copy) {
    return document_.String(text, length, copy);
  }
  bool Key(const char* text, rapidjson::SizeType length, bool copy) {
    const std::string_view name(text, length);
    if (!open_.add(name)) return stop(fmt::format("the object has `{}` twice", printable(name)));
    return document_.Key(text, length, copy);
  }
  bool StartObject() { return may_open() && document_.StartObject(); }
  bool EndObject(rapidjson::SizeType count) {
    open_.close();
    return document_.EndObject(count);
  }
  bool StartArray() { return may_open() && document_.StartArray(); }
  bool EndArray(rapidjson::SizeType count) {
    open_.close();
    return document_.EndArray(count);
  }
  // Why it ended the parsing.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

 private:
  bool may_open() {
    open_.open();
    return open_.depth() <= deepest || stop(fmt::format("it is nested more than {} levels deep", deepest));
  }
  bool stop(std::string why) {
    obstacle_ = std::move(why);
    return false;
  }

  JsonDocument& document_;
  OpenNames& open_;
  std::string obstacle_;
};

std::string_view kind_of(const JsonValue& value) {
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

std::string_view view(const JsonValue& value) {
  return {value.GetString(), value.GetStringLength()};
}

// Whether RapidJSON may read strings 16 bytes at a time: then it checks no encoding, and lets the control
// characters from 0x1A on pass (1.1.0, with RAPIDJSON_SSE2).
bool may_scan(std::string_view text) {
  unsigned char all = 0;
  bool refused = false;
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    all |= byte;
    refused |= static_cast<unsigned char>(byte - 0x1A) < 0x20 - 0x1A;
  }
  return all < 0x80 && !refused;
}

}  // namespace

struct JsonReader::Memory {
  std::string text = {};
  alignas(std::max_align_t) std::array<std::byte, 16U << 10U> values;  // of a short text

  // That of the text before, or null.
  static std::unique_ptr<Memory>& spare() {
    static thread_local std::unique_ptr<Memory> memory;
    return memory;
  }
  static Memory* take() { return spare() ? spare().release() : new Memory; }
};

void JsonReader::GiveBack::operator()(Memory* memory) const {
  constexpr std::size_t most_kept = 64U << 10U;
  std::unique_ptr<Memory> owner(memory);
  if (memory->text.capacity() <= most_kept && !Memory::spare()) Memory::spare() = std::move(owner);
}

JsonReader::JsonReader(Location source)
    : source_(std::move(source)),
      memory_(Memory::take()),
      pool_(memory_->values.data(), memory_->values.size()),
      document_(&pool_) {}

Result<std::unique_ptr<JsonReader>> JsonReader::parse(std::string_view text, const Location& source,
                                                      JsonNumbers numbers) {
  std::unique_ptr<JsonReader> reader(new JsonReader(source));
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // a byte order mark
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return fail(ErrorKind::usage, place(source, text, zero), "is not JSON: a zero byte");
  std::string& copy = reader->memory_->text;
  copy.reserve(text.size() + behind_text);
  copy.assign(text).append(behind_text, '\0');
  rapidjson::InsituStringStream stream(copy.data());
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, JsonMemory> parser;
  const bool scans = may_scan(text);
  std::string obstacle;
  const auto parse_into = [&](JsonDocument& document) {
    static thread_local OpenNames open;
    Builder builder(document, open);
    constexpr unsigned tolerant = parse_flags | rapidjson::kParseNanAndInfFlag;
    constexpr unsigned validate = rapidjson::kParseValidateEncodingFlag;
    if (numbers == JsonNumbers::finite)
      scans ? parser.Parse<parse_flags>(stream, builder)
            : parser.Parse<parse_flags | validate>(stream, builder);
    else
      scans ? parser.Parse<tolerant>(stream, builder) : parser.Parse<tolerant | validate>(stream, builder);
    obstacle = builder.obstacle();
    return !parser.HasParseError();
  };
  reader->document_.Populate(parse_into);
  if (!parser.HasParseError()) return reader;
  if (parser.GetParseErrorCode() == rapidjson::kParseErrorDocumentRootNotSingular)
    return fail(ErrorKind::usage, place(source, text, parser.GetErrorOffset()),
                "is not JSON: a second document, or other text, follows the first one",
                "split the file: a tool that appends writes a document each time");
  const std::string what =
      obstacle.empty() ? rapidjson::GetParseError_En(parser.GetParseErrorCode()) : obstacle;
  return fail(ErrorKind::usage, place(source, text, parser.GetErrorOffset()),
              fmt::format("is not JSON: {}", what));
}

void JsonReader::expect_format(const DocumentFormat& format) {
  const JsonNode node = root();
  const JsonNode name = node.require("format");
  if (const std::string found = name.text(); !error_ && found != format.name)
    name.problem(fmt::format("is `{}`; expected `{}`", printable(found), format.name));
  const JsonNode number = node.require("version");
  const int found = number.integer<int>();
  if (!error_ && found > format.version)
    number.problem(fmt::format("is {}; this harness reads version {}", found, format.version),
                   "use the harness that wrote it, or a newer one");
  else if (!error_ && found != format.version)
    number.problem(fmt::format("is {}; this harness reads version {}", found, format.version));
}

JsonNode JsonNode::find(std::string_view name) const {
  JsonNode child(*reader_, this, name, no_index, nullptr);
  if (!expect_object()) return child;
  const rapidjson::SizeType count = value_->MemberCount();
  for (rapidjson::SizeType i = 0; i < count; ++i) {
    const rapidjson::SizeType at = next_ + i < count ? next_ + i : next_ + i - count;
    const auto& member = value_->MemberBegin()[static_cast<std::ptrdiff_t>(at)];
    if (view(member.name) != name) continue;
    next_ = at + 1;
    child.value_ = &member.value;
    break;
  }
  return child;
}

void JsonNode::find_all(std::span<const std::string_view> names, std::span<const JsonValue*> found) const {
  std::fill(found.begin(), found.end(), nullptr);
  if (!expect_object()) return;
  auto next = value_->MemberBegin();
  const auto end = value_->MemberEnd();
  for (std::size_t i = 0; i < names.size() && next != end; ++i)
    if (view(next->name) == names[i]) found[i] = &next++->value;
  if (next == end) return;  // no name is repeated, so the others are absent
  for (std::size_t i = 0; i < names.size(); ++i)
    if (found[i] == nullptr) found[i] = find(names[i]).value_;
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
