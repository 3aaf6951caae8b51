#include "harness/base/filter.h"

#include <fmt/format.h>

#include <regex>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr std::size_t longest_expression = 1000;  // std::regex recurses for each character

std::regex expression_of(std::string_view filter) {
  return std::regex(std::string(filter.substr(1, filter.size() - 2)));
}

// "gemm/*" -> "^gemm/(.*)$".
std::regex expression_of_wildcard(std::string_view wildcard) {
  std::string text = "^";
  for (const char c : wildcard) {
    if (c == '*')
      text += "(.*)";
    else if (c == '?')
      text += '.';
    else if (std::string_view("^$\\.+()[]{}|").find(c) != std::string_view::npos)
      text += {'\\', c};
    else
      text += c;
  }
  return std::regex(text + '$');
}

}  // namespace

bool is_regular_expression(std::string_view filter) {
  return filter.size() > 2 && filter.front() == '/' && filter.back() == '/';
}

bool filter_match(std::string_view filter, std::string_view name) {
  if (!is_regular_expression(filter)) return wildcard_match(filter, name);
  if (!check_filter(filter)) return false;
  return std::regex_search(name.begin(), name.end(), expression_of(filter));
}

std::optional<std::vector<std::string>> filter_parts(std::string_view filter, std::string_view name) {
  if (!filter_match(filter, name)) return std::nullopt;
  const std::regex expression =
      is_regular_expression(filter) ? expression_of(filter) : expression_of_wildcard(filter);
  std::match_results<std::string_view::const_iterator> found;
  std::vector<std::string> parts;
  if (std::regex_search(name.begin(), name.end(), found, expression))
    for (std::size_t i = 1; i < found.size(); ++i) parts.push_back(found.str(i));
  return parts;
}

bool passes_filters(const std::vector<std::string>& filters, std::string_view name) {
  bool has_positive = false;
  bool matched = false;
  for (const std::string& filter : filters) {
    if (filter.starts_with('!')) {
      if (filter_match(std::string_view(filter).substr(1), name)) return false;
      continue;
    }
    has_positive = true;
    matched = matched || filter_match(filter, name);
  }
  return matched || !has_positive;
}

Status check_filter(std::string_view filter) {
  if (!is_regular_expression(filter)) return {};
  const auto refused = [&](const std::string& why) {
    return fail(ErrorKind::usage,
                fmt::format("`{}` is not a regular expression: {}", printable(filter), printable(why)),
                "without the slashes it is a wildcard");
  };
  if (filter.size() > longest_expression) return refused("it is too long");
  try {
    expression_of(filter);
  } catch (const std::regex_error& error) {
    return refused(error.what());
  }
  return {};
}

}  // namespace harness
