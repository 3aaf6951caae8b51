#include "harness/cli/output/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "harness/base/text.h"
#include "harness/base/units.h"

namespace harness {
namespace {

std::size_t columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 80;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : active_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const Progress& progress, const std::string& what) {
  const std::string left = progress.left > 0 ? fmt::format(", {:.0f} s left", progress.left) : "";
  show(fmt::format("{}[{}/{}] {:.0f} s{}  process {}  {}", what.empty() ? "" : what + "  ", progress.done,
                   progress.total, progress.elapsed, left, progress.process, printable(progress.case_id)));
}

void ProgressLine::show(const std::string& line) {
  if (!active_) return;
  fmt::print(stderr, "\r\x1b[K{}", line.substr(0, columns() - 1));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!active_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace harness
