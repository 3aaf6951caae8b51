// Page template: what the page's own build (page/) made, as this build carries it inside the program.
#pragma once

#include <string_view>

namespace harness::report {

inline constexpr std::string_view title_place = "@HARNESS_TITLE@";
inline constexpr std::string_view data_place = "@HARNESS_DATA@";

// page.html with one title_place and one data_place; "" in a build without it.
std::string_view page_template();

// plot.mjs, which node runs; "" in a build without it.
std::string_view plot_program();

// Why this build carries none: "it was configured without npm"; "" when it does.
std::string_view page_obstacle();

}  // namespace harness::report
