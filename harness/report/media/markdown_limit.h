// Markdown limit: a report that must fit into a number of bytes shows fewer rows and items. It never cuts a
// row or an item in half. A sentence says what is left out and where the full report is. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "harness/report/report.h"

namespace harness::report {

inline constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

// The longest text within the limit. `render(n)` shows the first n entries of every list (`everything`: all)
// and grows with n up to `most`. If even render(0) is too long, the `shorter` texts are tried in order; the
// last is taken in any case.
std::string fit_markdown(std::size_t limit, std::size_t most,
                         const std::function<std::string(std::size_t)>& render,
                         const std::vector<std::string>& shorter);

// The grid's first rows. Sections that lose all of their rows go.
Grid first_rows(const Grid& grid, std::size_t most);
std::size_t count_rows(const Grid& grid);

// "> Shortened to 1,000,000 bytes: 812 of 1,000 rows and 3 of 9 notes are left out. The whole report:
// `report.html`". `command` prints the report again, for when Style.whole names no file. Either loses its
// middle beyond `longest_name` columns.
struct LeftOut {
  std::string what;  // "rows"
  std::size_t shown = 0;
  std::size_t all = 0;
};
std::string shortened_note(const std::vector<LeftOut>& left_out, const Style& style,
                           const std::string& command, std::size_t longest_name = 200);

}  // namespace harness::report
