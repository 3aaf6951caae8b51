#include "harness/schema/split_document.h"

namespace harness {
namespace {

constexpr int deepest_piece = 200;  // below the limit of JsonReader, whatever the piece
constexpr std::string_view space = " \t\r\n";

bool is_space(char c) {
  return space.find(c) != std::string_view::npos;
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Behind the string that begins at `at`, or npos.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (std::size_t end = text.find('"', at + 1); end != std::string_view::npos;
       end = text.find('"', end + 1)) {
    std::size_t escapes = 0;
    while (text[end - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return end + 1;
  }
  return std::string_view::npos;
}

// Behind the object or list that begins at `at`, or npos.
std::size_t skip_container(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = skip_string(text, at);
        if (at == std::string_view::npos) return at;
        continue;
      case '{':
      case '[':
        if (++depth > deepest_piece) return std::string_view::npos;
        break;
      case '}':
      case ']':
        if (--depth == 0) return at + 1;
        break;
      default: break;
    }
    ++at;
  }
  return std::string_view::npos;
}

// Where the list `member` of the outermost object begins, or npos.
std::size_t find_list(std::string_view text, std::string_view member) {
  std::size_t at = skip_space(text, 0);
  if (at == text.size() || text[at] != '{') return std::string_view::npos;
  for (++at; at < text.size();) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      at = skip_container(text, at);
      continue;
    }
    if (c == '}') break;
    if (c != '"') {
      ++at;
      continue;
    }
    const std::size_t end = skip_string(text, at);
    if (end == std::string_view::npos) break;
    const std::string_view name = text.substr(at + 1, end - at - 2);
    at = skip_space(text, end);
    if (at == text.size() || text[at] != ':') continue;
    at = skip_space(text, at + 1);
    if (name == member) return at < text.size() && text[at] == '[' ? at : std::string_view::npos;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<SplitDocument> split_members(std::string_view text, std::string_view member) {
  const std::size_t open = find_list(text, member);
  if (open == std::string_view::npos) return std::nullopt;
  SplitDocument split;
  std::size_t at = skip_space(text, open + 1);
  while (at < text.size() && text[at] != ']') {
    if (!split.elements.empty()) {
      if (text[at] != ',') return std::nullopt;
      at = skip_space(text, at + 1);
    }
    if (at == text.size() || text[at] != '{') return std::nullopt;
    const std::size_t end = skip_container(text, at);
    if (end == std::string_view::npos) return std::nullopt;
    split.elements.push_back(text.substr(at, end - at));
    at = skip_space(text, end);
  }
  if (at >= text.size()) return std::nullopt;
  split.rest.append(text.substr(0, open + 1)).append(text.substr(at));
  return split;
}

}  // namespace harness
