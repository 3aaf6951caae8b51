#include "harness/report/media/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/media/html_text.h"
#include "harness/report/media/media.h"
#include "harness/report/media/page/packed.h"
#include "harness/report/media/page/page_json.h"
#include "harness/report/media/page/page_template.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

constexpr std::size_t least_data = 100'000;  // bytes, even when the template is too large
// Where a template wants its title and its data.
struct Places {
  std::size_t title = std::string_view::npos;
  std::size_t data = std::string_view::npos;
  [[nodiscard]] bool found() const { return data != std::string_view::npos; }
};

Places places_in(std::string_view page) {
  Places places;
  places.title = page.find(title_place);
  if (places.title != std::string_view::npos) places.data = page.find(data_place, places.title);
  return places;
}

// The places are searched in the template alone, so a title cannot bring a place of its own.
std::string filled(std::string_view page, const Places& places, const std::string& title,
                   const std::string& data) {
  const std::size_t after_title = places.title + title_place.size();
  std::string out;
  out.reserve(page.size() + title.size() + data.size());
  out += page.substr(0, places.title);
  out += title;
  out += page.substr(after_title, places.data - after_title);
  out += data;
  out += page.substr(places.data + data_place.size());
  return out;
}

// Bytes for data beside the template and the title.
std::size_t room_beside(std::string_view page, const std::string& title) {
  return std::max(largest_page - std::min(largest_page, page.size() + title.size()), least_data);
}

std::string contents_data(const Document& summary, const std::vector<PagePart>& parts) {
  Json json{{"format", formats::pages.name},
            {"version", formats::pages.version},
            {"headline", summary.headline},
            {"tone", class_of(summary.tone)},
            {"parts", Json::array()}};
  for (const PagePart& part : parts)
    json["parts"].push_back({{"name", part.name},
                             {"headline", part.report->document.headline},
                             {"tone", class_of(part.report->document.tone)},
                             {"page", part.report->page != nullptr}});
  return base64(deflated(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

// Each report has the bytes that it takes at least, and an equal part of the room that is left beyond them.
std::string pages_data(const Document& summary, const std::vector<PagePart>& parts, std::size_t room) {
  std::string data = contents_data(summary, parts);
  std::vector<std::pair<const Report*, std::size_t>> least;
  std::size_t needed = data.size();
  for (const PagePart& part : parts) {
    if (!part.report->page) continue;
    least.emplace_back(part.report, part.report->page(0).size());
    needed += 1 + least.back().second;
  }
  std::size_t spare = room - std::min(room, needed), left = least.size();
  for (const auto& [report, bytes] : least) {
    const std::string page = report->page(bytes + spare / left--);
    spare += bytes;
    spare -= std::min(spare, page.size());
    data += '\n' + page;
  }
  return data;
}

}  // namespace

std::string html_page(std::string_view page, const Report& report) {
  const Places places = places_in(page);
  if (!places.found() || !report.page)
    return plain_page(report.document.title, plain_elements(report.document));
  const std::string title = escaped(report.document.title);
  return filled(page, places, title, report.page(room_beside(page, title)));
}

std::string html_page(std::string_view page, const Document& summary, const std::vector<PagePart>& parts) {
  const Places places = places_in(page);
  const std::string title = escaped(printable(summary.title.empty() ? summary.headline : summary.title));
  if (places.found())
    return filled(page, places, title, pages_data(summary, parts, room_beside(page, title)));
  std::string links, sections;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Document& document = parts[i].report->document;
    links += fmt::format("<li><a href=\"#suite-{}\">{}</a>: {}</li>\n", i + 1,
                         escaped(printable(parts[i].name)), escaped(printable(document.headline)));
    sections += fmt::format("<section id=\"suite-{}\">\n{}</section>\n", i + 1, plain_elements(document));
  }
  return plain_page(summary.headline, element("h1", summary.headline, summary.tone) +
                                          fmt::format("<nav><ul>\n{}</ul></nav>\n", links) + sections);
}

std::string draw_html(const Report& report, const Style&) {
  return html_page(page_template(), report);
}

std::string draw_html(const std::vector<SuiteReport>& reports, const Document& summary) {
  std::vector<PagePart> parts;
  for (const SuiteReport& one : reports) parts.push_back({one.suite, &one.report});
  return html_page(page_template(), summary, parts);
}

}  // namespace harness::report
