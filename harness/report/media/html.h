// HTML: the page that an engineer opens after a red build. A template (page_template.h) in which a title
// and the data of one report are put; without one, or without the records, the terminal's text as a page.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/report/report.h"

namespace harness::report {

// What a page weighs at most, all in, unless there are more cases than any detail can be left out of.
inline constexpr std::size_t largest_page = 2'000'000;  // bytes

// `page` is a template with one title_place and, after it, one data_place.
std::string html_page(std::string_view page, const Record& record, const std::vector<Summary>& summaries,
                      const Sources& sources);
std::string html_page(std::string_view page, const Comparison& comparison, const Sources& sources);

}  // namespace harness::report
