// JsonReader: strict reading of JSON text into structs. Errors name the source and the path of the field:
// "base.json: cases[3].metrics[0].unit: is a number; expected text".
//
// The first problem is kept, later reads return empty values, and the caller asks once at the end. A JsonNode
// points into its JsonReader and its parent node; both must outlive it. Not thread-safe.
#pragma once

#include <rapidjson/document.h>

#include <concepts>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/schema/formats.h"
#include "harness/sdk/params.h"

namespace harness {

class JsonReader;

// RapidJSON's own allocator returns null where memory is used up, and RapidJSON writes there.
class JsonMemory : public rapidjson::CrtAllocator {
 public:
  void* Malloc(std::size_t size) { return checked(CrtAllocator::Malloc(size), size); }
  void* Realloc(void* old, std::size_t old_size, std::size_t size) {
    return checked(CrtAllocator::Realloc(old, old_size, size), size);
  }

 private:
  static void* checked(void* memory, std::size_t size) {
    return memory != nullptr || size == 0 ? memory : throw std::bad_alloc();
  }
};
using JsonPool = rapidjson::MemoryPoolAllocator<JsonMemory>;
using JsonValue = rapidjson::GenericValue<rapidjson::UTF8<>, JsonPool>;
using JsonDocument = rapidjson::GenericDocument<rapidjson::UTF8<>, JsonPool, JsonMemory>;

class JsonNode {
 public:
  // The member `name` of this object. require(): a missing one is the problem.
  [[nodiscard]] JsonNode require(std::string_view name) const;
  [[nodiscard]] JsonNode find(std::string_view name) const;
  [[nodiscard]] bool present() const { return value_ != nullptr; }
  // Whether the whole document has had no problem so far.
  [[nodiscard]] bool ok() const;
  [[nodiscard]] bool is_null() const { return value_ != nullptr && value_->IsNull(); }
  // Text, a number, true or false.
  [[nodiscard]] bool is_scalar() const {
    return value_ != nullptr && !value_->IsNull() && !value_->IsArray() && !value_->IsObject();
  }
  [[nodiscard]] bool is_text() const { return value_ != nullptr && value_->IsString(); }

  // The members of this object with these names: null for one that is absent. Takes one comparison a name
  // where the text has them in this order.
  void find_all(std::span<const std::string_view> names, std::span<const JsonValue*> found) const;
  // The member `name` that find_all() found.
  [[nodiscard]] JsonNode member(std::string_view name, const JsonValue* value) const {
    return {*reader_, this, name, no_index, value};
  }

  // The value, or the fallback when the member is absent. Another type is a problem.
  [[nodiscard]] std::string text(std::string_view fallback = {}) const;
  [[nodiscard]] bool flag(bool fallback = false) const;
  [[nodiscard]] double number(double fallback = 0) const;
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] std::optional<sdk::Value> scalar() const;  // any kind that a parameter can have

  // A whole number within the range of T and [least, most].
  template <std::integral T>
  [[nodiscard]] T integer(T fallback = 0, T least = std::numeric_limits<T>::min(),
                          T most = std::numeric_limits<T>::max()) const {
    if (value_ == nullptr) return fallback;
    if (value_->IsUint64()) {
      const std::uint64_t value = value_->GetUint64();
      if (std::in_range<T>(value) && static_cast<T>(value) >= least && static_cast<T>(value) <= most)
        return static_cast<T>(value);
    } else if (value_->IsInt64()) {
      const std::int64_t value = value_->GetInt64();
      if (std::in_range<T>(value) && static_cast<T>(value) >= least) return static_cast<T>(value);
    } else {
      expected("a whole number");
      return fallback;
    }
    problem("is out of range; expected " + std::to_string(least) + " to " + std::to_string(most));
    return fallback;
  }

  // One of `names`; a suggestion when it is none of them.
  [[nodiscard]] std::size_t choice(std::span<const std::string_view> names) const;

  // Calls `read(JsonNode)` for each element, or `read(std::string_view name, JsonNode)` for each
  // member in the order of the text; parse() refuses a name that comes twice. An absent node has none.
  template <class Read>
  void each_element(Read read) const {
    if (value_ == nullptr) return;
    if (!value_->IsArray()) return expected("an array");
    std::size_t index = 0;
    // An empty array begins and ends at null: nothing is dereferenced.
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    for (const JsonValue& element : value_->GetArray()) read(JsonNode(*reader_, this, {}, index++, &element));
  }
  template <class Read>
  void each_member(Read read) const {
    if (!expect_object()) return;
    for (const auto& [name, value] : value_->GetObject()) {
      const std::string_view key(name.GetString(), name.GetStringLength());
      read(key, JsonNode(*reader_, this, key, no_index, &value));
    }
  }
  [[nodiscard]] std::size_t size() const;  // of an array or object, 0 otherwise
  // The element at `index` of this array, which must be there.
  [[nodiscard]] JsonNode element(std::size_t index) const {
    return {*reader_, this, {}, index, &value_->GetArray()[static_cast<rapidjson::SizeType>(index)]};
  }

  // "cases[3].metrics[0]"; "" for the whole document.
  [[nodiscard]] std::string path() const;
  // Records a problem with this node unless there is one already.
  void problem(const std::string& what, const std::string& advice = {}) const;
  void expected(const std::string& type) const;  // "is text; expected a number"

 private:
  friend class JsonReader;
  static constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

  JsonNode(JsonReader& reader, const JsonNode* parent, std::string_view key, std::size_t index,
           const JsonValue* value)
      : reader_(&reader), parent_(parent), key_(key), index_(index), value_(value) {}

  [[nodiscard]] bool expect_object() const;

  JsonReader* reader_;
  const JsonNode* parent_;
  std::string_view key_;
  std::size_t index_;
  const JsonValue* value_;
  mutable rapidjson::SizeType next_ = 0;  // behind the member found last, which is often asked for next
};

// Whether NaN, Infinity and -Infinity, which several tools write, are numbers.
enum class JsonNumbers { finite, with_nan };

class JsonReader {
 public:
  // Malformed JSON is an error with line and column. `source` names the text in every error; its line
  // is the number of the first line of `text` (for a file of many documents).
  static Result<std::unique_ptr<JsonReader>> parse(std::string_view text, const Location& source,
                                                   JsonNumbers numbers = JsonNumbers::finite);

  [[nodiscard]] JsonNode root() { return {*this, nullptr, {}, JsonNode::no_index, &document_}; }

  // Checks the members "format" and "version".
  void expect_format(const DocumentFormat& format);

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  // `value`, or the first problem.
  template <class T>
  Result<T> finish(T value) {
    if (error_) return fail(*error_);
    return value;
  }

 private:
  friend class JsonNode;
  // Holds a text and its document. A thread uses it again for the next text: many texts are short.
  struct Memory;
  struct GiveBack {
    void operator()(Memory* memory) const;
  };
  explicit JsonReader(Location source);

  Location source_;
  std::unique_ptr<Memory, GiveBack> memory_;
  JsonPool pool_;
  JsonDocument document_;
  std::optional<Error> error_;
};

}  // namespace harness
