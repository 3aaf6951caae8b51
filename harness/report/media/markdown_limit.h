// Markdown limit: a report that must fit into so many bytes shows less, never half of something: fewer
// rows, the worst first, and a sentence that says what is missing and where it is. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "harness/report/grid.h"
#include "harness/report/report.h"

namespace harness::report {

inline constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

// The longest text within the limit. `render(n)` shows the first n of every list (`everything`: all) and
// grows with n up to `most`; the `shorter` ones follow where even render(0) is too long, longest first.
// The last of them is taken if all are too long.
std::string fit_markdown(std::size_t limit, std::size_t most,
                         const std::function<std::string(std::size_t)>& render,
                         const std::vector<std::string>& shorter);

// The grid's first rows; sections that lose all of theirs go.
Grid first_rows(const Grid& grid, std::size_t most);
std::size_t count_rows(const Grid& grid);

// "> Shortened to 1,000,000 bytes: 812 of 1,000 rows and 3 of 9 notes are left out. The whole report:
// `report.html`." `command` says how to make it again where Style.whole names no file; either loses its
// middle beyond `longest_name` columns.
struct LeftOut {
  std::string what;  // "rows"
  std::size_t shown = 0;
  std::size_t all = 0;
};
std::string shortened_note(const std::vector<LeftOut>& left_out, const Style& style,
                           const std::string& command, std::size_t longest_name = 200);

}  // namespace harness::report
