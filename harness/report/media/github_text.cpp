#include "harness/report/media/github_text.h"

#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>

#include "harness/base/text.h"
#include "harness/report/media/terminal_text.h"

namespace harness::report {
namespace {

constexpr std::size_t most_shown = 10;          // of one level in one step
constexpr std::size_t most_in_annotation = 20;  // in the message of the first annotation
constexpr std::size_t longest_alert = 200;      // columns
constexpr std::size_t longest_message = 2000;   // of a message, columns
constexpr std::size_t longest_file = 1000;

std::string_view word_for(Alarm level) {
  switch (level) {
    case Alarm::error: return "error";
    case Alarm::warning: return "warning";
    case Alarm::notice:
    case Alarm::none: break;
  }
  return "notice";
}

}  // namespace

std::string escape_command_data(std::string_view raw) {
  std::vector<std::string> lines;
  for (const std::string& line : split(raw, '\n'))
    lines.push_back(boost::replace_all_copy(printable(line), "%", "%25"));
  return join(lines, "%0A");
}

std::string escape_command_property(std::string_view raw) {
  const std::string text = boost::replace_all_copy(printable(raw), "%", "%25");
  return boost::replace_all_copy(boost::replace_all_copy(text, ":", "%3A"), ",", "%2C");
}

std::string annotation_line(Alarm level, const Annotation& annotation) {
  std::string properties;
  const auto add = [&](std::string_view name, const std::string& value) {
    properties += fmt::format("{}{}={}", properties.empty() ? " " : ",", name, value);
  };
  if (!annotation.file.empty())
    add("file", escape_command_property(safe_name(annotation.file, longest_file)));
  if (!annotation.file.empty() && annotation.line > 0) add("line", std::to_string(annotation.line));
  if (!annotation.title.empty())
    add("title", escape_command_property(safe_name(annotation.title, longest_alert)));
  std::vector<std::string> lines;
  for (const std::string& line : split(annotation.message, '\n'))
    lines.push_back(safe_name(line, longest_message));
  return fmt::format("::{}{}::{}\n", word_for(level), properties, escape_command_data(join(lines, "\n")));
}

std::string annotation_lines(Alarm level, Annotation all, const std::vector<Annotation>& worst_first) {
  if (worst_first.empty()) return {};
  if (worst_first.size() == 1) return annotation_line(level, worst_first.front());
  std::size_t named = 0;
  for (const Annotation& one : worst_first) {
    if (named == most_in_annotation) {
      all.message += fmt::format("\nand {} more", worst_first.size() - named);
      break;
    }
    all.message += (all.message.empty() ? "" : "\n") + safe_name(one.title, longest_alert);
    ++named;
  }
  std::string text = annotation_line(level, all);
  for (std::size_t i = 0; i < worst_first.size() && i + 1 < most_shown; ++i)
    text += annotation_line(level, worst_first[i]);
  return text;
}

}  // namespace harness::report
