#include "harness/suite/yaml/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "harness/base/text.h"

namespace harness {
namespace {

TextPosition place_at(std::string_view text, std::size_t offset) {
  TextPosition place{1, 1};
  for (std::size_t i = 0; i < offset; ++i) {
    ++place.column;
    if (text[i] == '\n') place = TextPosition{place.line + 1, 1};
  }
  return place;
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

// Line of the first tab that stands before the first other character of its line, up to line `last`.
std::optional<TextPosition> indentation_tab(std::string_view text, int last) {
  int line = 1;
  for (std::size_t begin = 0; begin < text.size() && line <= last; ++line) {
    const std::size_t first = text.find_first_not_of(' ', begin);
    const std::size_t content = text.find_first_not_of(" \t\r", begin);
    const bool blank = content == std::string_view::npos || text[content] == '\n' || text[content] == '#';
    if (!blank && text[first] == '\t') return TextPosition{line, static_cast<int>(first - begin) + 1};
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  return std::nullopt;
}

// The line before `place` that has something, where it should be `name: value` and lacks the colon.
struct LineWithoutColon {
  TextPosition place;
  std::string text;
};
std::optional<LineWithoutColon> line_without_colon(std::string_view text, TextPosition place) {
  const std::vector<std::string> lines = split(text, '\n');
  for (int line = place.line - 1; line > 0; --line) {
    const std::string& whole = lines[static_cast<std::size_t>(line) - 1];
    std::string_view content = trim(whole);
    if (content.empty() || content.starts_with('#')) continue;
    if (content.starts_with("- ")) content = trim(content.substr(2));
    const bool has_colon = content.find(": ") != std::string_view::npos || content.ends_with(':');
    const std::size_t space = content.find(' ');
    const bool is_named = space != std::string_view::npos &&
                          std::all_of(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(space),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (has_colon || !is_named) return std::nullopt;
    return LineWithoutColon{{line, static_cast<int>(whole.find(content)) + 1}, std::string(content)};
  }
  return std::nullopt;
}

struct Wording {
  std::string_view parser;   // how the parser's message begins
  std::string_view message;  // ours
  std::string_view advice;
};

constexpr std::array wordings{
    Wording{"end of map flow not found", "expected `,` or `}` in the map that `{` opened",
            "close the map with `}`, or separate its members by commas"},
    Wording{"end of sequence flow not found", "expected `,` or `]` in the list that `[` opened",
            "close the list with `]`, or separate its items by commas"},
    Wording{"end of map not found", "expected the next key of this map, or its end",
            "write `name: value` and align it with the keys above"},
    Wording{"end of sequence not found", "expected the next `- item` of this list, or its end",
            "align it with the items above"},
    Wording{"illegal map value", "a value is not allowed here",
            "check the indentation; quote a text that contains `: `"},
    Wording{"illegal map key", "a key is not allowed here", "check the indentation"},
    Wording{"illegal block entry", "a list item is not allowed here",
            "begin the list on its own line, every `-` in the same column"},
    Wording{"illegal flow end", "a `]` or `}` that closes nothing",
            "close each `[` with `]` and each `{` with `}`"},
    Wording{"illegal EOF in scalar", "the quoted text has no end", "close it with the quote that opened it"},
    Wording{"illegal document indicator in scalar", "the quoted text has no end",
            "close it with the quote that opened it"},
    Wording{"unknown token", "a character that cannot begin a value", "quote the text"},
    Wording{"the referenced anchor is not defined", "the alias names no anchor above it",
            "define it with `&name` first"},
    Wording{"unknown escape character", "unknown escape in a text in double quotes",
            "write `\\\\` for a backslash, or use single quotes"},
};

std::size_t offset_of(std::string_view text, TextPosition place) {
  std::size_t begin = 0;
  for (int line = 1; line < place.line && begin != std::string_view::npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != std::string_view::npos) ++begin;
  }
  if (begin == std::string_view::npos) return text.size();
  return std::min(text.size(), begin + static_cast<std::size_t>(place.column) - 1);
}

}  // namespace

bool quote_is_closed(std::string_view text, TextPosition place) {
  std::size_t i = offset_of(text, place);
  // The place is that of an anchor or a tag where the value has one.
  while (i < text.size() && (text[i] == '&' || text[i] == '!')) {
    i = std::min(text.size(), text.find_first_of(" \t\r\n", i));
    i = std::min(text.size(), text.find_first_not_of(" \t\r\n", i));
  }
  if (i >= text.size() || (text[i] != '"' && text[i] != '\'')) return true;
  const char quote = text[i];
  for (++i; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote)
      ++i;
    else if (text[i] == quote)
      return true;
  }
  return false;
}

bool check_yaml_text(const std::string& text, const std::string& file, const YamlLimits& limits,
                     const YamlWords& words, ErrorList& errors) {
  const auto wrong = [&](std::size_t offset, std::string message, std::string advice) {
    const TextPosition place = place_at(text, offset);
    errors.add({file, place.line, place.column}, std::move(message), std::move(advice));
    return false;
  };
  std::size_t indicators = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (is_control(byte))
      return wrong(i, fmt::format("a control character (byte 0x{:02x})", byte),
                   "remove it; in double quotes, write it as an escape");
    const std::size_t length = utf8_length(std::string_view(text).substr(i));
    if (length == 0) return wrong(i, fmt::format("not UTF-8: byte 0x{:02x}", byte), "save the file as UTF-8");
    if (std::string_view(",[]{}&*!'\"").find(text[i]) != std::string_view::npos &&
        ++indicators > limits.indicators)
      return wrong(i, fmt::format("more than {} brackets, commas, quotes and the like", limits.indicators),
                   words.smaller);
    i += length;
  }
  return true;
}

void add_syntax_error(const std::string& text, const std::string& file, TextPosition place,
                      const std::string& message, ErrorList& errors) {
  const int last =
      place.line > 0 ? place.line : static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  if (const auto tab = indentation_tab(text, last)) {
    errors.add({file, tab->line, tab->column}, "a tab in the indentation, which YAML does not allow",
               "indent with spaces");
    return;
  }
  if (const auto lacking = line_without_colon(text, place);
      lacking && message.starts_with("illegal map value")) {
    const std::size_t space = lacking->text.find(' ');
    errors.add(
        {file, lacking->place.line, lacking->place.column},
        "not valid YAML: expected `name: value`, and this line has no colon",
        fmt::format("write `{}:{}`, if `{}` is a name", printable(lacking->text.substr(0, space)),
                    printable(lacking->text.substr(space)), printable(lacking->text.substr(0, space))));
    return;
  }
  const Location where{file, place.line, place.column};
  for (const Wording& wording : wordings)
    if (message.starts_with(wording.parser)) {
      errors.add(where, "not valid YAML: " + std::string(wording.message), std::string(wording.advice));
      return;
    }
  errors.add(where, "not valid YAML: " + printable(message), "");
}

}  // namespace harness
