// Tables of a report, for tests of their content.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/report.h"

namespace harness {

inline std::size_t times(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

inline std::vector<report::Grid> tables_of(const Report& made) {
  std::vector<report::Grid> grids;
  for (const report::Block& block : made.document.blocks)
    if (const auto* table = std::get_if<report::Table>(&block.content)) grids.push_back(table->grid);
  return grids;
}

inline std::vector<std::string> headers_of(const report::Grid& grid) {
  std::vector<std::string> headers;
  for (const report::Column& column : grid.columns) headers.push_back(column.header);
  return headers;
}

// All cells of a column, from the top.
inline std::vector<report::Cell> cells_of(const report::Grid& grid, const std::string& header) {
  const std::vector<std::string> headers = headers_of(grid);
  const auto at =
      static_cast<std::size_t>(std::find(headers.begin(), headers.end(), header) - headers.begin());
  std::vector<report::Cell> cells;
  for (const report::Section& section : grid.sections)
    for (const report::GridRow& row : section.rows) cells.push_back(row.cells[at]);
  return cells;
}

}  // namespace harness
