// YamlValue: one value of a YAML text with its line and column. A YamlTree owns its values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

struct TextPosition {
  int line = 0;    // from 1
  int column = 0;  // from 1, in bytes
};

struct YamlValue;

struct YamlMember {
  std::string name;
  TextPosition place;  // of the key
  YamlValue* value = nullptr;
};

struct YamlValue {
  enum class Kind { null, boolean, integer, real, text, list, map };

  Kind kind = Kind::null;
  TextPosition place;
  std::string text;  // a scalar as written, escapes resolved
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::vector<YamlValue*> items;    // of a list
  std::vector<YamlMember> members;  // of a map, names distinct

  // Set by the schema's check on what is wrong: it is skipped from then on.
  bool rejected = false;

  // Used while the tree is built: values and levels below, aliases counted as copies.
  std::size_t size = 1;
  int height = 1;
  bool open = true;  // its end has not been read

  // The member of that name, unless rejected; null when there is none.
  [[nodiscard]] const YamlValue* find(std::string_view name) const;
};

// Gives `value.kind` and its number or flag to an unquoted scalar, by the YAML 1.2 core schema.
// False: a number that cannot be held (an integer beyond 64 bits, infinity, not-a-number).
bool resolve_plain_scalar(YamlValue& value);

// "the integer 3", "the text `x`", "a list", for "expected ..., found ...".
std::string described(const YamlValue& value);

}  // namespace harness
