#include "harness/report/media/terminal_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

std::size_t room(const Style& style, std::size_t indent) {
  return columns_of(style) - indent;
}

// Each case and its figures, below each other, where they leave room for the case.
std::string with_figures(const ReasonGroup& group, const Style& style) {
  constexpr std::size_t indent = 6, gap = 2, least_name = 20;
  std::size_t name_width = 0, figures_width = 0;
  for (const std::string& id : group.ids)
    name_width = std::max(name_width, display_width(safe_name(id, columns_of(style))));
  for (const std::string& figures : group.figures) figures_width = std::max(figures_width, figures.size());
  const std::size_t all = room(style, indent + gap);
  const std::size_t left = all > figures_width + least_name ? all - figures_width : least_name;
  name_width = std::min(name_width, left);
  std::string text;
  for (std::size_t i = 0; i < group.ids.size(); ++i) {
    const std::string name = safe_name(group.ids[i], name_width);
    text += std::string(indent, ' ') +
            paint(name + std::string(name_width - display_width(name) + gap, ' ') + group.figures[i],
                  Paint::faint, style) +
            "\n";
  }
  return text;
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
  if (!group.figures.empty()) return text + with_figures(group, style);
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
