#include "harness/cli/exit_status.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace harness {
namespace {

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::missing:
    case ErrorKind::not_comparable: return exit_missing;
    case ErrorKind::away: return exit_away;
    case ErrorKind::usage:
    case ErrorKind::environment:
    case ErrorKind::internal: return exit_usage;
  }
  return exit_usage;
}

constexpr std::array worst_first{exit_interrupted, exit_usage,   exit_away,         exit_failed,
                                 exit_regressed,   exit_missing, exit_inconclusive, exit_ok};

}  // namespace

int worst_status(int one, int other) {
  for (const int status : worst_first)
    if (status == one || status == other) return status;
  return std::max(one, other);
}

int report_error(const Error& error) {
  std::fputs((error.text() + "\n").c_str(), stderr);  // fmt::print would throw where nobody can be told
  return status_of(error.kind);
}

int report_errors(const std::vector<Error>& errors) {
  int status = exit_usage;
  for (const Error& error : errors) status = report_error(error);
  return errors.size() == 1 ? status : exit_usage;
}

}  // namespace harness
