// Sparkline: a series as one line of characters. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/model/document.h"

namespace harness::report {

// One character a value, its height by the logarithm of the value; at most `columns`, by averages of equal
// shares. The scale spans at least `least_range` (of logs), so that noise within it looks flat. Positive
// values only. `unicode`: eighths of a block, else ASCII.
std::string sparkline(std::span<const double> values, std::size_t columns, double least_range, bool unicode);

bool has_trends(const Grid& grid);
// The grid with its trends drawn as text.
Grid with_trends(Grid grid, std::size_t columns, bool unicode);

}  // namespace harness::report
