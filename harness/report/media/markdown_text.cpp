#include "harness/report/media/markdown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/base/text.h"
#include "harness/report/media/terminal_text.h"

namespace harness::report {
namespace {

constexpr std::size_t longest_prose = 2000;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string entity(char c) {
  return fmt::format("&#{};", static_cast<int>(static_cast<unsigned char>(c)));
}

// An underscore inside a word is no emphasis in GitHub's dialect.
bool inside_word(std::string_view text, std::size_t i) {
  return i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
}

// Where a line could start a list, a heading or a quote.
bool opens_block(std::string_view text, std::size_t i) {
  if (text[i] == '-' || text[i] == '+' || text[i] == '=') return i == 0;
  if (text[i] != '.' && text[i] != ')') return false;
  if (i + 1 < text.size() && text[i + 1] != ' ') return false;
  return i > 0 && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i),
                              [](char c) { return c >= '0' && c <= '9'; });
}

// GitHub links bare addresses; a name must not become one.
bool opens_address(std::string_view text, std::size_t i) {
  if (text[i] == ':') return text.substr(i, 3) == "://";
  return text[i] == '.' && i >= 3 && to_lower(text.substr(i - 3, 3)) == "www";
}

std::string with_entities(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '@')
      out += "&#64;\u200b";  // a zero-width space: no mention
    else if (std::string_view("|`*[]\\~#!$").find(c) != std::string_view::npos ||
             (c == '_' && !inside_word(text, i)) || opens_block(text, i) || opens_address(text, i))
      out += entity(c);
    else
      out += c;
  }
  return out;
}

// "[12.39, 12.47]", "+4.12 %", "1.51x": numbers that mean nothing to Markdown inside a cell.
bool is_figure(std::string_view text) {
  return text.find_first_not_of("0123456789 .,+-%/[]x") == std::string_view::npos;
}

std::string markdown_cell(std::string_view raw, Paint paint) {
  const std::string text = is_figure(raw) ? std::string(raw) : markdown_prose(raw);
  const bool loud = paint == Paint::good || paint == Paint::bad;
  return loud ? "**" + text + "**" : text;
}

}  // namespace

std::string markdown_prose(std::string_view raw) {
  const std::vector<std::string> parts = split(safe_name(raw, longest_prose), '`');
  const bool paired = parts.size() % 2 == 1;
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool code = paired && i % 2 == 1 && !parts[i].empty();
    if (i > 0 && !paired) out += entity('`');
    out += code ? markdown_code(parts[i]) : with_entities(parts[i]);
  }
  return out;
}
std::string markdown_code(std::string_view raw, std::size_t longest) {
  const std::string name = safe_name(raw, longest);
  if (name.empty()) return "<code></code>";
  const bool plain =
      name.find_first_of("`|\\<>&") == std::string::npos && name.front() != ' ' && name.back() != ' ';
  if (plain) return "`" + name + "`";
  std::string out = "<code>";
  for (const char c : name)
    out += is_word(c) || c == ' ' || c == '/' || c == '=' || static_cast<unsigned char>(c) >= 0x80
               ? std::string(1, c)
               : entity(c);
  return out + "</code>";
}

std::string markdown_table(const Grid& grid) {
  std::string text = "| " + markdown_prose(grid.label_header);
  if (!grid.shared.empty()) text += " of " + markdown_code(grid.shared);
  text += " |";
  std::string rule = "|:--|";
  for (const Column& column : grid.columns) {
    text += " " + markdown_prose(column.header) + " |";
    rule += column.align == Align::left && !column.tied ? ":--|" : "--:|";
  }
  text += "\n" + rule + "\n";
  for (const Section& section : grid.sections) {
    if (!section.heading.empty()) {
      text += "| " +
              (section.is_pattern ? markdown_code(section.heading)
                                  : "**" + markdown_prose(section.heading) + "**") +
              " |";
      for (std::size_t i = 0; i < grid.columns.size(); ++i) text += " |";
      text += "\n";
    }
    for (const GridRow& row : section.rows) {
      text += "| " + markdown_code(row.label) + " |";
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        text += " " + markdown_cell(row.cells.text(i), row.cells.paint(i)) + " |";
      text += "\n";
    }
  }
  return text;
}

std::string markdown_details(const std::string& summary, const std::string& body) {
  return "<details><summary>" + summary + "</summary>\n\n" + body + "\n</details>\n";
}

}  // namespace harness::report
