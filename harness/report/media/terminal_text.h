// Terminal text: colours, names cut to fit, wrapped sentences, and grids drawn to the width of the
// terminal. Names are made harmless here. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "harness/model/document.h"
#include "harness/report/report.h"

namespace harness::report {

// The width drawn to: the style's, but never below 40.
std::size_t columns_of(const Style& style);

// `text` between ANSI codes, or as it is without Style.colour.
std::string paint(std::string_view text, Paint paint, const Style& style);

// An untrusted name: control characters made visible, the middle of a long one replaced by "…".
std::string safe_name(std::string_view name, std::size_t columns);

// The beginning of untrusted text, which ends in "…" where it is cut.
std::string safe_beginning(std::string_view text, std::size_t columns);

// Wraps at spaces to the style's width. The first line starts with `lead`, the others with as many
// spaces. Untrusted text is made printable; no word is wider than the space there is.
std::string wrapped(std::string_view text, std::string_view lead, const Style& style);

// Adds the grid to a text: as one table where it fits, else as one a block. Labels stand beside the numbers
// where they fit, else on their own lines. Columns are left out where nothing else helps, spare ones before
// labels move. `drawn`: gets the headers of the columns that are not left out.
void draw(const Grid& raw, const Style& style, std::string& text, std::set<std::string>* drawn = nullptr);

}  // namespace harness::report
