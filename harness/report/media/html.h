// HTML: the page that an engineer opens after a red build. A run or a comparison fills the template
// (page_template.h) with its title and data. Every other report, and every report in a build without the
// template, is a page of plain elements. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/report.h"

namespace harness::report {

// The most bytes of a page, unless there are so many cases that the fewest details take more.
inline constexpr std::size_t largest_page = 2'000'000;

// `page` is a template with one title_place and, after it, one data_place.
std::string html_page(std::string_view page, const Report& report);

// One of several reports on a page; `name` is that of its suite.
struct PagePart {
  std::string name;
  const Report* report = nullptr;
};

// The reports on one page, below the summary's headline and a list of contents. Their data are packed texts,
// one a line: the contents (harness-pages), then each report that has a page. A report without one is told by
// its headline.
std::string html_page(std::string_view page, const Document& summary, const std::vector<PagePart>& parts);

}  // namespace harness::report
