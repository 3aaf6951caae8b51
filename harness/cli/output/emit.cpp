#include "harness/cli/output/emit.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/terminal_unicode.h"
#include "harness/report/documents.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

int terminal_width() {
  if (const int columns = environment::columns(); columns >= 40) return columns;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return Style{}.width;
}

// The command line, then https://no-color.org, then https://bixense.com/clicolors.
bool wants_colour(ColourMode asked) {
  if (asked != ColourMode::automatic) return asked == ColourMode::always;
  if (environment::forbids_colour()) return false;
  if (environment::forces_colour()) return true;
  return !environment::terminal_lacks_colour() && isatty(STDOUT_FILENO) != 0;
}

// The file that a shortened Markdown report refers to: the most complete one.
std::string whole_report(const std::vector<ReportTarget>& targets) {
  for (const std::string_view name : {"html", "terminal", "json"})
    for (const ReportTarget& target : targets)
      if (name_of(target.format) == name && !target.printed()) return target.path;
  return {};
}

Style style_for(const OutputOptions& options, bool printed) {
  Style style;
  style.markdown_limit = options.markdown_limit;
  style.whole = whole_report(options.reports);
  style.unicode = terminal_has_unicode();
  style.verbose = options.verbose;
  if (!printed) return style;
  style.colour = wants_colour(options.colour);
  style.width = terminal_width();
  return style;
}

Status write_target(const ReportTarget& target, const OutputOptions& options, const Render& render) {
  const std::string text = render(target.format, style_for(options, target.printed()));
  return target.printed() ? print_whole(text) : write_file_atomically(target.path, text);
}

}  // namespace

Status print_whole(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return fail(ErrorKind::environment, "standard output cannot be written to");
}

bool draws(const OutputOptions& options, Format format) {
  const auto& files = options.reports;
  return options.format == format || std::any_of(files.begin(), files.end(), [&](const ReportTarget& one) {
           return one.format == format;
         });
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

Status check_outputs(const OutputOptions& options, const CommandFiles& files) {
  if (const Status built = check_built(options.format); !built) return built;
  std::vector<fs::path> seen;
  if (!files.written.empty()) seen.push_back(identity_of(files.written));
  if (const Status spared = check_spares("--output", files.written, files.read); !spared) return spared;
  for (const ReportTarget& target : options.reports) {
    if (const Status built = check_built(target.format); !built) return built;
    const fs::path path = target.printed() ? fs::path(target.path) : identity_of(target.path);
    if (std::find(seen.begin(), seen.end(), path) != seen.end())
      return fail(ErrorKind::usage,
                  fmt::format("--report {}={}: something else is written there, too", name_of(target.format),
                              printable(target.path)),
                  "name a file of its own for each");
    seen.push_back(path);
    if (target.printed()) continue;
    const std::string option = fmt::format("--report {}", name_of(target.format));
    if (const Status spared = check_spares(option, target.path, files.read); !spared) return spared;
    if (const Status writable = check_writable(target.path); !writable) return writable;
  }
  return {};
}

Status print_report(const OutputOptions& options, const Render& render) {
  return print_whole(render(options.format, style_for(options, true)));
}

bool write_reports(const OutputOptions& options, const Render& render) {
  bool written = true;
  for (const ReportTarget& target : options.reports)
    if (const Status one = write_target(target, options, render); !one) {
      report_error(one.error());
      written = false;
    }
  return written;
}

int emit(const OutputOptions& options, const Render& render, int status) {
  const Status printed = print_report(options, render);
  if (!printed) report_error(printed.error());
  const bool written = write_reports(options, render);
  return status == exit_ok && (!printed || !written) ? exit_usage : status;
}

Status begin_outputs(const OutputOptions& options, const Render& render) {
  std::error_code code;
  for (const ReportTarget& target : options.reports) {
    if (target.printed() || fs::is_other(target.path, code)) continue;
    if (const Status written = write_target(target, options, render); !written) return written;
  }
  return {};
}

Status begin_outputs(const OutputOptions& options, const CommandLine& line) {
  const Report report = report::unfinished_document(line.text());
  return begin_outputs(options,
                       [&](Format format, const Style& style) { return render(report, format, style); });
}

}  // namespace harness
