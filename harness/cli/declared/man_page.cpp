#include "harness/cli/declared/man_page.h"

#include <fmt/format.h>

#include "harness/base/text.h"

namespace harness {
namespace {

// A line of text with all special characters of troff escaped.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

// A list of options or arguments: the name in bold, its type, and below what it is for.
std::string entry(const std::string& name, const CLI::Option& option) {
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  const bool takes_value = option.get_expected_max() > 0 && !type.empty();
  std::string text =
      fmt::format(".TP\n.B {}{}\n{}", escaped(name), takes_value ? " \\fI" + escaped(type) + "\\fR" : "",
                  escaped(option.get_description()));
  if (!option.get_default_str().empty())
    text += fmt::format("\nDefault: {}.", escaped(option.get_default_str()));
  return text + "\n";
}

std::string footer_of(const CLI::App& command) {
  const std::string footer = command.get_footer();
  if (footer.empty()) return {};
  std::string text = ".PP\n.nf\n";
  for (const std::string& line : split(footer, '\n')) text += escaped(line) + "\n";
  return text + ".fi\n";
}

std::string section_of(const CommandAt& at) {
  std::string text =
      fmt::format(".SS harness {}\n{}.\n", escaped(at.path), escaped(at.command->get_description()));
  for (const CLI::Option* option :
       at.command->get_options([](const CLI::Option* one) { return one->get_positional(); }))
    text += entry(option->get_name(true), *option);
  for (const CLI::Option* option : shown_options(*at.command))
    if (const std::string name = long_name(*option); name != "--help") text += entry(name, *option);
  return text + footer_of(*at.command);
}

}  // namespace

std::string man_page(const CLI::App& program) {
  std::string text = fmt::format(
      ".TH HARNESS 1\n.SH NAME\nharness \\- performance CI for CUDA kernels\n.SH SYNOPSIS\n.B harness\n"
      "\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      escaped(program.get_description()));
  for (const CommandAt& at : all_commands(program)) text += section_of(at);
  return text;
}

}  // namespace harness
