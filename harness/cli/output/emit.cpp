#include "harness/cli/output/emit.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/output/input_files.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view standard_output = "-";
constexpr std::size_t least_markdown = 1000;  // bytes; a verdict and a reference need some

int terminal_width() {
  if (const int columns = environment::columns(); columns >= 40) return columns;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return Style{}.width;
}

// The command line, then https://no-color.org, then https://bixense.com/clicolors.
bool wants_colour(const std::string& asked) {
  if (asked != "auto") return asked == "always";
  if (environment::forbids_colour()) return false;
  if (environment::forces_colour()) return true;
  return !environment::terminal_lacks_colour() && isatty(STDOUT_FILENO) != 0;
}

struct ReportTarget {
  Format format;
  std::string path;
};

// At commas, but for those behind a backslash, which stand for themselves.
std::vector<std::string> split_targets(const std::string& text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool literal = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',';
    if (literal) parts.back() += text[++i];
    if (!literal && text[i] == ',') parts.emplace_back();
    if (!literal && text[i] != ',') parts.back() += text[i];
  }
  return parts;
}

std::vector<std::string> names_of(const std::vector<Format>& formats) {
  if (formats.empty()) return format_names();
  std::vector<std::string> names;
  for (const Format format : formats) names.emplace_back(name_of(format));
  return names;
}

Result<ReportTarget> parse_target(const std::string& text, const std::vector<Format>& has) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::optional<Format> known = parse_format(name);
  if (!known) {
    std::string advice = suggestion(name, names_of(has));
    if (equals == std::string::npos) advice += "; a comma in a file name is written `\\,`";
    return fail(ErrorKind::usage, fmt::format("--report: unknown format `{}`", printable(name)), advice);
  }
  if (equals == std::string::npos || equals + 1 == text.size())
    return fail(ErrorKind::usage, fmt::format("--report {}: no file named", name),
                fmt::format("write --report {}=FILE, or {}=- for standard output", name, name));
  return ReportTarget{*known, text.substr(equals + 1)};
}

// Those of --report alone; what --format asks for is no target.
Result<std::vector<ReportTarget>> parse_targets(const OutputArguments& arguments) {
  std::vector<ReportTarget> targets;
  for (const std::string& given : arguments.reports)
    for (const std::string& text : split_targets(given)) {
      Result<ReportTarget> target = parse_target(text, arguments.has);
      if (!target) return fail(target.error());
      targets.push_back(std::move(*target));
    }
  return targets;
}

// The file that people are sent to from a Markdown report that was cut: the one that shows most.
std::string whole_report(const std::vector<ReportTarget>& targets) {
  for (const std::string_view name : {"html", "terminal", "json"})
    for (const ReportTarget& target : targets)
      if (name_of(target.format) == name && target.path != standard_output) return target.path;
  return {};
}

Style style_for(const OutputArguments& arguments, const std::vector<ReportTarget>& targets, bool printed) {
  Style style;
  style.markdown_limit = arguments.markdown_limit;
  style.whole = whole_report(targets);
  if (!printed) return style;
  style.colour = wants_colour(arguments.colour);
  style.width = terminal_width();
  return style;
}

Status print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return fail(ErrorKind::environment, "standard output cannot be written to");
}

Status write_target(const ReportTarget& target, const OutputArguments& arguments,
                    const std::vector<ReportTarget>& targets, const Render& render) {
  const bool printed = target.path == standard_output;
  const std::string text = render(target.format, style_for(arguments, targets, printed));
  return printed ? print(text) : write_file_atomically(target.path, text);
}

std::string check_format(const std::string& name, const std::vector<Format>& has) {
  if (parse_format(name)) return {};
  return fmt::format("unknown format `{}`; {}", printable(name), suggestion(name, names_of(has)));
}

std::string check_markdown_limit(const std::string& text) {
  std::size_t limit = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  if (whole && (limit == 0 || limit >= least_markdown)) return {};
  return fmt::format("`{}` is no number of bytes from {} on (1000000 suits a job summary; 0 is no limit)",
                     printable(text), least_markdown);
}

}  // namespace

void add_output_options(CLI::App& command, OutputArguments& arguments, std::vector<Format> has) {
  arguments.has = std::move(has);
  command.add_option("--color", arguments.colour, "colour on the terminal")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command
      .add_option("--format", arguments.format,
                  "what standard output gets: " + join(names_of(arguments.has), ", "))
      ->check(CLI::Validator(
          [formats = arguments.has](const std::string& name) { return check_format(name, formats); }, "NAME"))
      ->capture_default_str();
  command
      .add_option("--report", arguments.reports,
                  "also write FORMAT=FILE, several with commas or repeated; FILE - is standard output")
      ->allow_extra_args(false)
      ->type_name("FORMAT=FILE");
  command
      .add_option("--markdown-limit", arguments.markdown_limit,
                  "shorten Markdown to this many bytes, at the end of a row")
      ->check(CLI::Validator(check_markdown_limit, "BYTES"));
}

Status check_writable(const std::string& path) {
  std::error_code code;
  if (fs::is_directory(path, code))
    return fail(ErrorKind::usage, Location{path}, "is a folder; name a file to write");
  if (fs::is_other(path, code) && access(path.c_str(), W_OK) == 0) return {};  // a device or a pipe
  fs::path folder = fs::absolute(path).parent_path();
  while (!fs::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
  if (fs::is_directory(folder, code) && access(folder.c_str(), W_OK) == 0) return {};
  return fail(ErrorKind::usage, Location{path},
              fmt::format("cannot be written: {} is not a folder to write in", folder.string()));
}

Status check_outputs(const OutputArguments& arguments, const CommandFiles& files) {
  const Result<std::vector<ReportTarget>> targets = parse_targets(arguments);
  if (!targets) return fail(targets.error());
  if (const Status built = check_built(parse_format(arguments.format).value_or(Format::terminal)); !built)
    return built;
  std::vector<fs::path> seen;
  if (!files.written.empty()) seen.push_back(identity_of(files.written));
  if (const Status spared = check_spares("--output", files.written, files.read); !spared) return spared;
  for (const ReportTarget& target : *targets) {
    if (const Status built = check_built(target.format); !built) return built;
    const bool printed = target.path == standard_output;
    const fs::path path = printed ? fs::path(standard_output) : identity_of(target.path);
    if (std::find(seen.begin(), seen.end(), path) != seen.end())
      return fail(ErrorKind::usage,
                  fmt::format("--report {}={}: something else is written there, too", name_of(target.format),
                              printable(target.path)),
                  "name a file of its own for each");
    seen.push_back(path);
    if (printed) continue;
    const std::string option = fmt::format("--report {}", name_of(target.format));
    if (const Status spared = check_spares(option, target.path, files.read); !spared) return spared;
    if (const Status writable = check_writable(target.path); !writable) return writable;
  }
  return {};
}

int emit(const OutputArguments& arguments, const Render& render, int status) {
  const Result<std::vector<ReportTarget>> targets = parse_targets(arguments);
  if (!targets) return report_error(targets.error());
  const Format format = parse_format(arguments.format).value_or(Format::terminal);
  std::vector<Status> results{print(render(format, style_for(arguments, *targets, true)))};
  for (const ReportTarget& target : *targets)
    results.push_back(write_target(target, arguments, *targets, render));
  for (const Status& result : results) {
    if (result) continue;
    report_error(result.error());
    if (status == exit_ok) status = exit_usage;
  }
  return status;
}

int emit_only(const std::vector<Format>& formats, const OutputArguments& arguments, const Render& render) {
  const Result<std::vector<ReportTarget>> targets = parse_targets(arguments);
  if (!targets) return report_error(targets.error());
  for (const ReportTarget& target : *targets) {
    const bool wanted = std::find(formats.begin(), formats.end(), target.format) != formats.end();
    if (!wanted || target.path == standard_output) continue;
    if (const Status written = write_target(target, arguments, *targets, render); !written)
      return report_error(written.error());
  }
  return exit_ok;
}

}  // namespace harness
