#include "harness/report/terminal_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/numbers.h"
#include "harness/report/terminal_text.h"

namespace harness::report {
namespace {

std::size_t room(const Style& style, std::size_t indent) {
  return columns_of(style) - indent;
}

}  // namespace

std::string painted_lines(const std::string& lines, Paint how, const Style& style) {
  std::string text;
  for (const std::string& line : split(trim(lines).empty() ? "" : lines, '\n'))
    if (!line.empty()) text += paint(line, how, style) + "\n";
  return text;
}

std::string fact_lines(std::span<const std::pair<std::string, std::string>> facts, const Style& style) {
  std::size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, display_width(safe_name(name, 12)));
  std::string text;
  for (const auto& [raw_name, value] : facts) {
    const std::string name = safe_name(raw_name, 12);
    const std::string lead = "  " + name + std::string(width - display_width(name) + 2, ' ');
    text += wrapped(value, lead, style);
  }
  return text;
}

std::string abridged_reason(const ReasonGroup& group, const Style& style) {
  std::string text = wrapped(group.reason, "  ", style);
  for (const Abridged& some : abridge(group.ids)) {
    const std::string count = some.count > 1 ? fmt::format("  ({} cases)", grouped_digits(some.count)) : "";
    text += "      " +
            paint(safe_name(some.pattern, room(style, 6 + count.size())) + count, Paint::faint, style) + "\n";
  }
  return text;
}

std::string full_reason(const ReasonGroup& group, const Style& style) {
  std::string text;
  for (const std::string& id : group.ids)
    text += "  " + paint(safe_name(id, room(style, 2)), Paint::strong, style) + "\n";
  return text + wrapped(group.reason, "      ", style);
}

}  // namespace harness::report
