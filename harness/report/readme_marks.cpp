#include "harness/report/readme_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"

namespace harness::report {
namespace {

// Where a line that says exactly `line` begins and ends, with its line feed; npos where there is none or
// more than one.
std::pair<std::size_t, std::size_t> find_line(std::string_view text, std::string_view line) {
  std::pair<std::size_t, std::size_t> found{std::string_view::npos, std::string_view::npos};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t feed = std::min(text.find('\n', begin), text.size());
    if (trim(text.substr(begin, feed - begin)) == line) {
      if (found.first != std::string_view::npos) return {std::string_view::npos, std::string_view::npos};
      found = {begin, std::min(feed + 1, text.size())};
    }
    begin = feed + 1;
  }
  return found;
}

}  // namespace

Result<std::string> put_between_marks(std::string_view text, std::string_view name, std::string_view table) {
  const std::string begin_mark = fmt::format("<!-- measured: {} -->", name);
  const std::string end_mark = fmt::format("<!-- end of {} -->", name);
  const auto begin = find_line(text, begin_mark);
  const auto end = find_line(text, end_mark);
  if (begin.first == std::string_view::npos || end.first == std::string_view::npos ||
      end.first < begin.second)
    return fail(ErrorKind::usage,
                fmt::format("the file has no place for the table `{}`", printable(std::string(name))),
                fmt::format("put the lines {} and {} where it belongs, each once", begin_mark, end_mark));
  return fmt::format("{}\n{}\n{}", text.substr(0, begin.second), table, text.substr(end.first));
}

}  // namespace harness::report
