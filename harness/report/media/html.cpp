#include "harness/report/media/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/media/page_data.h"
#include "harness/report/media/page_template.h"
#include "harness/report/reporter.h"

namespace harness::report {
namespace {

constexpr std::size_t least_data = 100'000;  // bytes, whatever the template takes
const Style plain_style{false, 120};

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// A terminal's report as a page without a script.
std::string plain_page(const std::string& title, const std::string& terminal_text) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n</head>\n"
      "<body>\n<pre>{}</pre>\n</body>\n</html>\n",
      escaped(title), escaped(terminal_text));
}

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

// The places are those of the template alone, never of what a title brings.
std::string filled(std::string_view page, const Places& places, const Comparison* comparison,
                   const Sources& sources) {
  const std::string title = escaped(page_title(comparison, sources));
  const std::size_t taken = page.size() + title.size();
  const std::size_t room = largest_page - std::min(largest_page, taken);
  const std::string data = page_data(comparison, sources, std::max(room, least_data));
  const std::size_t after_title = places.title + title_place.size();
  std::string out;
  out.reserve(taken + data.size());
  out += page.substr(0, places.title);
  out += title;
  out += page.substr(after_title, places.data - after_title);
  out += data;
  out += page.substr(places.data + data_place.size());
  return out;
}

std::string html_plan(const Plan& plan, const Style&) {
  return plain_page(cut_title(plan.suite.name), terminal_plan(plan, plain_style));
}

std::string html_run(const Record& record, const std::vector<Summary>& summaries, const Style&,
                     const Sources& sources) {
  return html_page(page_template(), record, summaries, sources);
}

std::string html_comparison(const Comparison& comparison, const Style&, const Sources& sources) {
  return html_page(page_template(), comparison, sources);
}

}  // namespace

std::string html_page(std::string_view page, const Record& record, const std::vector<Summary>& summaries,
                      const Sources& sources) {
  Sources all = sources;
  all.current = {&record, &summaries};
  if (const Places places = places_in(page); places.found()) return filled(page, places, nullptr, all);
  return plain_page(page_title(nullptr, all), terminal_run(record, summaries, plain_style, all));
}

std::string html_page(std::string_view page, const Comparison& comparison, const Sources& sources) {
  const Places places = places_in(page);
  if (places.found() && sources.current.record != nullptr && sources.current.summaries != nullptr)
    return filled(page, places, &comparison, sources);
  return plain_page(page_title(&comparison, sources), terminal_comparison(comparison, plain_style, sources));
}

const Reporter html_reporter{Format::html, "html", html_plan, html_run, html_comparison};

}  // namespace harness::report
