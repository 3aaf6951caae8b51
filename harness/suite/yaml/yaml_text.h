// Checks of a suite's bytes before they are parsed as YAML, and helpful words for the parser's complaints.
#pragma once

#include <string>
#include <string_view>

#include "harness/suite/yaml/errors.h"
#include "harness/suite/yaml/yaml_value.h"

namespace harness {

struct YamlLimits {
  int depth = 64;
  std::size_t values = 200'000;
  // Brackets, commas, quotes, anchors and so on in the text: the parser may hold the tokens of a whole
  // line or `[...]` in memory.
  std::size_t indicators = 300'000;
};

// The file's name in errors, and their advice.
struct YamlWords {
  std::string what = "suite";
  std::string smaller = "describe cases by `axes` rather than one by one, or split the suite";
  std::string beginning = "begin with `version: 2`, then `name:` and `cases:`";
};

// UTF-8, no control characters (one of them ends the input for the parser), not more indicators than
// the limit. False, with an error in `errors`: do not parse.
bool check_yaml_text(const std::string& text, const std::string& file, const YamlLimits& limits,
                     const YamlWords& words, ErrorList& errors);

// Adds an error for the parser's complaint `message` at `place` (line 0: not known). A tab used as
// indentation above that place is named as the cause.
void add_syntax_error(const std::string& text, const std::string& file, TextPosition place,
                      const std::string& message, ErrorList& errors);

// False when the quoted text that stands at `place` runs to the end of the input, which the parser
// lets pass.
bool quote_is_closed(std::string_view text, TextPosition place);

}  // namespace harness
