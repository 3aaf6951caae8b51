#include "harness/cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {

int terminal_width() {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view text = columns;
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (value >= 40) return value;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return Style{}.width;
}

Style terminal_style(const OutputArguments& arguments) {
  const bool plain = std::getenv("NO_COLOR") != nullptr || isatty(STDOUT_FILENO) == 0;
  Style style;
  style.colour = arguments.colour == "always" || (arguments.colour == "auto" && !plain);
  style.width = terminal_width();
  return style;
}

struct ReportTarget {
  Format format;
  std::string path;
};

Result<ReportTarget> parse_target(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::optional<Format> known = parse_format(name);
  if (!known)
    return fail(ErrorKind::usage, fmt::format("--report: unknown format `{}`", printable(name)),
                suggestion(name, format_names()));
  if (equals == std::string::npos || equals + 1 == text.size())
    return fail(ErrorKind::usage, fmt::format("--report {}: no file named", name),
                fmt::format("write --report {}=FILE", name));
  return ReportTarget{*known, text.substr(equals + 1)};
}

}  // namespace

void add_output_options(CLI::App& command, OutputArguments& arguments) {
  command.add_option("--color", arguments.colour, "colour on the terminal")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command.add_option("--format", arguments.format, "what standard output gets")
      ->check(CLI::IsMember(format_names()))
      ->capture_default_str();
  command.add_option("--report", arguments.reports, "also write FORMAT=FILE, several with commas")
      ->delimiter(',')
      ->type_name("FORMAT=FILE");
}

Status check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::is_directory(path, code))
    return fail(ErrorKind::usage, Location{path}, "is a folder; name a file to write");
  fs::path folder = fs::absolute(path).parent_path();
  while (!fs::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
  if (fs::is_directory(folder, code) && access(folder.c_str(), W_OK) == 0) return {};
  return fail(ErrorKind::usage, Location{path},
              fmt::format("cannot be written: {} is not a folder to write in", folder.string()));
}

Status check_outputs(const OutputArguments& arguments) {
  for (const std::string& text : arguments.reports) {
    const auto target = parse_target(text);
    if (!target) return fail(target.error());
    if (const Status writable = check_writable(target->path); !writable) return writable;
  }
  return {};
}

Status emit(const OutputArguments& arguments, const Render& render) {
  const std::string text =
      render(parse_format(arguments.format).value_or(Format::terminal), terminal_style(arguments));
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  for (const std::string& report : arguments.reports) {
    const auto target = parse_target(report);
    if (!target) return fail(target.error());
    const Status written = write_file_atomically(target->path, render(target->format, Style{}));
    if (!written) return written;
  }
  return {};
}

}  // namespace harness
