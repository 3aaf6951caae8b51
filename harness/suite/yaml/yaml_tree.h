// YamlTree: YAML text as a tree in which every value and key knows its line and column. Scalars are
// resolved as YAML 1.2 core does; quoted ones stay text. Aliases share the value they name, so a tree
// may be a graph, but never a cycle, and its size and depth are limited as if every alias were a copy.
// A YamlTree owns its values. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "harness/suite/yaml/errors.h"

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

struct YamlLimits {
  int depth = 64;
  std::size_t values = 200'000;
  // Brackets, commas, quotes, anchors and so on in the text: the parser may hold the tokens of a whole
  // line or `[...]` in memory.
  std::size_t indicators = 300'000;
};

// What errors call the file and advise about it.
struct YamlWords {
  std::string what = "suite";
  std::string smaller = "describe cases by `axes` rather than one by one, or split the suite";
  std::string beginning = "begin with `version: 1`; suites/README.md has an example";
};

class YamlTree {
 public:
  // Reads `text`. What is wrong goes to `errors` with `file` as its place; after an error that stops
  // reading, root() is null.
  YamlTree(const std::string& text, const std::string& file, ErrorList& errors, YamlLimits limits = {},
           const YamlWords& words = {});

  [[nodiscard]] YamlValue* root() const { return root_; }

 private:
  friend class YamlBuilder;
  std::deque<YamlValue> values_;
  YamlValue* root_ = nullptr;
};

// Gives `value.kind` and its number or flag to an unquoted scalar, by the YAML 1.2 core schema.
// False: a number that cannot be held (an integer beyond 64 bits, infinity, not-a-number).
bool resolve_plain_scalar(YamlValue& value);

// "the integer 3", "the text `x`", "a list", for "expected ..., found ...".
std::string described(const YamlValue& value);

}  // namespace harness
