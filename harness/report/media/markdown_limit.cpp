#include "harness/report/media/markdown_limit.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/numbers.h"

namespace harness::report {

std::string fit_markdown(std::size_t limit, std::size_t most,
                         const std::function<std::string(std::size_t)>& render,
                         const std::vector<std::string>& shorter) {
  std::string text = render(everything);
  if (limit == 0 || text.size() <= limit) return text;
  text = render(0);
  if (text.size() > limit) {
    for (const std::string& candidate : shorter)
      if (candidate.size() <= limit) return candidate;
    return shorter.empty() ? text : shorter.back();
  }
  std::size_t fits = 0;
  std::size_t too_long = most;
  while (fits + 1 < too_long) {
    const std::size_t middle = fits + (too_long - fits) / 2;
    std::string candidate = render(middle);
    if (candidate.size() <= limit) {
      fits = middle;
      text = std::move(candidate);
    } else {
      too_long = middle;
    }
  }
  return text;
}

Grid first_rows(const Grid& grid, std::size_t most) {
  Grid some = grid;
  for (Section& section : some.sections) {
    section.rows.resize(std::min(section.rows.size(), most));
    most -= section.rows.size();
  }
  std::erase_if(some.sections, [](const Section& section) { return section.rows.empty(); });
  return some;
}

std::size_t count_rows(const Grid& grid) {
  std::size_t rows = 0;
  for (const Section& section : grid.sections) rows += section.rows.size();
  return rows;
}

std::string shortened_note(const std::vector<LeftOut>& left_out, const Style& style,
                           const std::string& command, std::size_t longest_name) {
  std::vector<std::string> parts;
  for (const LeftOut& one : left_out)
    if (one.shown < one.all)
      parts.push_back(
          fmt::format("{} of {} {}", grouped_digits(one.all - one.shown), grouped_digits(one.all), one.what));
  const std::string whole = style.whole.empty() ? command : style.whole;
  std::string text = fmt::format("> Shortened to {} bytes", grouped_digits(style.markdown_limit));
  if (!parts.empty()) text += fmt::format(": {} left out", join(parts, ", "));
  return text + ". The whole report: " + markdown_code(whole, longest_name) + "\n";
}

}  // namespace harness::report
