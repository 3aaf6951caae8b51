#include "harness/report/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace harness::report {
namespace {

constexpr std::size_t levels = 8;
constexpr std::array<std::string_view, levels> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, levels> letters{"_", ".", "-", "~", "=", "+", "*", "#"};

// Means of `columns` equal shares of the values.
std::vector<double> condensed(const std::vector<double>& values, std::size_t columns) {
  if (values.size() <= columns) return values;
  std::vector<double> means;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t begin = column * values.size() / columns;
    const std::size_t end = (column + 1) * values.size() / columns;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

}  // namespace

std::string sparkline(std::span<const double> values, std::size_t columns, double least_range, bool unicode) {
  std::vector<double> logs;
  for (const double value : values)
    if (value > 0 && std::isfinite(value)) logs.push_back(std::log(value));
  if (logs.empty() || columns == 0) return {};
  logs = condensed(logs, columns);
  const auto [low, high] = std::minmax_element(logs.begin(), logs.end());
  const double range = std::max({*high - *low, least_range, 1e-12});
  const double bottom = (*low + *high - range) / 2;
  std::string text;
  for (const double value : logs) {
    const double share = std::clamp((value - bottom) / range, 0.0, 1.0);
    const auto level = std::min(levels - 1, static_cast<std::size_t>(share * static_cast<double>(levels)));
    text += unicode ? blocks.at(level) : letters.at(level);
  }
  return text;
}

bool has_trends(const Grid& grid) {
  for (const Section& section : grid.sections)
    for (const GridRow& row : section.rows)
      if (row.cells.has_trends()) return true;
  return false;
}

Grid with_trends(Grid grid, std::size_t columns, bool unicode) {
  for (Section& section : grid.sections)
    for (GridRow& row : section.rows)
      if (row.cells.has_trends())
        row.cells = row.cells.with_texts([&](const Cell& cell) {
          return cell.trend.empty() ? cell.text : sparkline(cell.trend, columns, cell.least_range, unicode);
        });
  return grid;
}

}  // namespace harness::report
