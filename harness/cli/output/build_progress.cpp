#include "harness/cli/output/build_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace harness {
namespace {

constexpr Seconds redraw_every = 1, line_every = 60;
constexpr const char* clear_line = "\r\x1b[K";

void to_standard_error(const std::string& text) {
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
}

}  // namespace

BuildProgress::BuildProgress(std::string what, bool terminal, Write write)
    : what_(std::move(what)), terminal_(terminal), write_(std::move(write)) {
  at(0);
}

BuildProgress::BuildProgress(std::string what)
    : BuildProgress(std::move(what), isatty(STDERR_FILENO) == 1, to_standard_error) {}

void BuildProgress::at(Seconds elapsed) {
  elapsed_ = elapsed;
  if (elapsed < next_) return;
  next_ = elapsed + (terminal_ ? redraw_every : line_every);
  const std::string since = elapsed > 0 ? fmt::format(", {:.0f} s", std::floor(elapsed)) : "";
  write_(fmt::format("{}{}: building{}{}", terminal_ ? clear_line : "", what_, since, terminal_ ? "" : "\n"));
}

void BuildProgress::built() {
  write_(fmt::format("{}{}: built in {:.0f} s\n", terminal_ ? clear_line : "", what_, std::ceil(elapsed_)));
}

void BuildProgress::failed() {
  if (terminal_) write_(clear_line);
}

}  // namespace harness
