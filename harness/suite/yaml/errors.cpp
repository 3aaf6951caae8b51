#include "harness/suite/yaml/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/text.h"

namespace harness {

void ErrorList::add(Location where, std::string message, std::string advice) {
  errors_.push_back(Error{ErrorKind::usage, std::move(message), std::move(where), std::move(advice)});
}

std::vector<Error> ErrorList::take() {
  const auto place = [](const Error& error) {
    return std::tuple(error.where.line == 0, error.where.line, error.where.column);
  };
  std::stable_sort(errors_.begin(), errors_.end(),
                   [&](const Error& a, const Error& b) { return place(a) < place(b); });
  std::set<std::tuple<int, int, std::string>> seen;
  std::vector<Error> out;
  for (Error& error : errors_)
    if (seen.emplace(error.where.line, error.where.column, error.message).second)
      out.push_back(std::move(error));
  errors_.clear();
  if (out.size() > shown_limit) {
    const std::size_t more = out.size() - shown_limit;
    const Location file{out.front().where.file};
    out.resize(shown_limit);
    out.push_back(Error{ErrorKind::usage, fmt::format("{} more errors are not shown", more), file,
                        "correct those above first"});
  }
  return out;
}

std::string in_ticks(std::string_view text) {
  constexpr std::size_t longest = 80;  // bytes; a name is shorter, a hostile one is not
  if (text.size() <= longest) return "`" + printable(text) + "`";
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "`" + printable(text.substr(0, end)) + "...`";
}

}  // namespace harness
