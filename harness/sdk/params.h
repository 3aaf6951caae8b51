// Params: the named values of one case, in the order in which its identity prints them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/sdk/dtype.h"

namespace harness::sdk {

// Thrown by a workload or a variant that cannot do what it is asked for, with the reason in words a
// user understands. The case is then listed as skipped with that reason; nothing fails.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A parameter's value. Order matters for equality: 1 and 1.0 are different values.
using Value = std::variant<std::int64_t, double, bool, std::string>;

inline std::string to_string(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.12g", std::get<double>(value));
  return buffer;
}

enum class ParamKind { integer, real, boolean, text };

// A workload's description of one of its parameters; suites are checked against it.
struct ParamSpec {
  std::string name;
  ParamKind kind = ParamKind::integer;
  std::string summary;               // one line, with the unit if it has one
  std::vector<std::string> choices;  // for text: the allowed values; empty: any
  std::vector<Value> fallback;       // at most one: the value when a suite gives none
  std::int64_t least = 1;            // for integer: the smallest allowed value
};

class Params {
 public:
  Params() = default;
  explicit Params(std::vector<std::pair<std::string, Value>> entries) : entries_(std::move(entries)) {}

  void set(std::string name, Value value) {
    for (auto& [known, old] : entries_)
      if (known == name) {
        old = std::move(value);
        return;
      }
    entries_.emplace_back(std::move(name), std::move(value));
  }

  [[nodiscard]] const Value* find(std::string_view name) const {
    for (const auto& [known, value] : entries_)
      if (known == name) return &value;
    return nullptr;
  }

  // Typed access; std::out_of_range when absent, std::invalid_argument when of another kind.
  [[nodiscard]] std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
  [[nodiscard]] bool flag(std::string_view name) const { return get<bool>(name); }
  [[nodiscard]] const std::string& text(std::string_view name) const { return get<std::string>(name); }
  [[nodiscard]] double real(std::string_view name) const {
    const Value* value = find(name);
    if (value != nullptr && std::holds_alternative<std::int64_t>(*value))
      return static_cast<double>(std::get<std::int64_t>(*value));
    return get<double>(name);
  }
  [[nodiscard]] DType dtype(std::string_view name = "dtype") const {
    const std::string& spelled = text(name);
    if (const auto type = parse_dtype(spelled)) return *type;
    throw std::invalid_argument("`" + spelled + "` is not an element type");
  }

  [[nodiscard]] const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  // "dtype=f16/m=512/n=1024": the tail of a case's identity.
  [[nodiscard]] std::string text_id() const {
    std::string out;
    for (const auto& [name, value] : entries_) {
      if (!out.empty()) out += '/';
      out += name + "=" + to_string(value);
    }
    return out;
  }

  bool operator==(const Params&) const = default;

 private:
  template <class T>
  [[nodiscard]] const T& get(std::string_view name) const {
    const Value* value = find(name);
    if (value == nullptr) throw std::out_of_range("no parameter `" + std::string(name) + "`");
    const T* typed = std::get_if<T>(value);
    if (typed == nullptr)
      throw std::invalid_argument("parameter `" + std::string(name) + "` has another type");
    return *typed;
  }

  std::vector<std::pair<std::string, Value>> entries_;
};

}  // namespace harness::sdk
