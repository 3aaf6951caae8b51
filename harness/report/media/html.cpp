#include "harness/report/media/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/media/media.h"
#include "harness/report/media/page/packed.h"
#include "harness/report/media/page/page_json.h"
#include "harness/report/media/page/page_template.h"
#include "harness/report/numbers.h"
#include "harness/report/sparkline.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

constexpr std::size_t least_data = 100'000;  // bytes, even when the template is too large
constexpr std::size_t trend_columns = 40;

constexpr std::string_view style_sheet =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.1rem .6rem;text-align:left}"
    "thead{border-bottom:1px solid}dl{display:grid;grid-template-columns:max-content auto;gap:0 1rem}"
    "dd{margin:0}.strong{font-weight:bold}.faint{opacity:.7}.good{color:#1a7f37}.bad{color:#cf222e}"
    ".doubtful{color:#9a6700}";

std::string escaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (const char c : raw) {
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

std::string_view class_of(Paint paint) {
  switch (paint) {
    case Paint::strong: return "strong";
    case Paint::faint: return "faint";
    case Paint::good: return "good";
    case Paint::bad: return "bad";
    case Paint::doubtful: return "doubtful";
    case Paint::plain: break;
  }
  return "plain";
}

// <name class="...">text</name>; nothing for an empty text.
std::string element(std::string_view name, const std::string& raw, Paint paint = Paint::plain) {
  if (raw.empty()) return {};
  const std::string look = paint == Paint::plain ? "" : fmt::format(" class=\"{}\"", class_of(paint));
  return fmt::format("<{}{}>{}</{}>\n", name, look, escaped(printable(raw)), name);
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += element("li", line);
  return text.empty() ? text : "<ul>\n" + text + "</ul>\n";
}

std::string facts_of(const NamedTexts& facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += element("dt", name) + (value.empty() ? "<dd></dd>\n" : element("dd", value));
  return text.empty() ? text : "<dl>\n" + text + "</dl>\n";
}

std::string cell(std::string_view name, const std::string& raw, Paint paint = Paint::plain) {
  return raw.empty() ? fmt::format("<{}></{}>\n", name, name) : element(name, raw, paint);
}

// Draws blocks as elements.
struct Elements {
  std::string operator()(const Heading& heading) const {
    return element(heading.level == 1 ? "h2" : "h3", heading.text, heading.paint);
  }

  std::string operator()(const Table& table) const {
    const Grid grid = with_trends(table.grid, trend_columns, true);
    if (grid.sections.empty()) return {};
    std::string text =
        element("h2", table.title) + "<table>\n<thead><tr>\n" +
        cell("th", grid.shared.empty() ? grid.label_header : grid.label_header + " of " + grid.shared);
    for (const Column& column : grid.columns) text += cell("th", column.header);
    text += "</tr></thead>\n";
    for (const Section& section : grid.sections) {
      text += "<tbody>\n";
      if (!section.heading.empty())
        text += "<tr>" + element("th", section.heading, section.paint) + "</tr>\n";
      for (const GridRow& row : section.rows) {
        text += "<tr>\n" + cell("td", row.label);
        for (const Cell& one : row.cells) text += cell("td", one.text, one.paint);
        text += "</tr>\n";
      }
      text += "</tbody>\n";
    }
    return text + "</table>\n";
  }

  std::string operator()(const Prose& prose) const {
    std::string text;
    for (const std::string& line : prose.lines) text += element("p", line, prose.paint);
    return text;
  }

  std::string operator()(const List& list) const {
    return list.lines.empty() ? std::string() : element("h2", list.heading) + list_of(list.lines);
  }

  std::string operator()(const Reasons& reasons) const {
    if (reasons.groups.empty()) return {};
    std::string text = element("h2", reasons.heading, reasons.paint);
    for (const ReasonGroup& group : reasons.groups) {
      std::vector<std::string> cases = group.ids;
      for (std::size_t i = 0; i < group.figures.size(); ++i) cases[i] += ": " + group.figures[i];
      text += element("p", group.reason) + list_of(cases);
    }
    return text;
  }

  std::string operator()(const Findings& findings) const {
    if (findings.items.empty()) return {};
    std::string text = element("h2", findings.heading);
    for (const Finding& finding : findings.items) {
      text += element("h3", join(finding.cases, ", ")) + element("p", finding.label, finding.paint) +
              element("p", finding.standing, Paint::doubtful) +
              element("p", finding.text, finding.text_paint) + list_of(finding.details) +
              list_of(finding.advice) + element("p", finding.where, Paint::faint);
    }
    return text;
  }

  std::string operator()(const Checklist& list) const {
    std::string text = element("h2", list.heading) + "<table>\n";
    for (const CheckedFact& fact : list.facts)
      text += "<tr>\n" + cell("td", fact.name) + cell("td", fact.mark.text, fact.mark.paint) +
              cell("td", fact.value) + cell("td", fact.advice) + "</tr>\n";
    return text + "</table>\n";
  }
};

std::string plain_elements(const Document& document) {
  std::string body = element("h1", document.headline, document.tone) + facts_of(document.facts);
  for (const Block& block : document.blocks) body += std::visit(Elements{}, block.content);
  body += Elements{}(List{"what to do", document.next_steps});
  return body + element("p", document.exit_meaning, Paint::faint);
}

std::string plain_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n{}</body>\n</html>\n",
      escaped(title), style_sheet, body);
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

// Each report may take an equal part of the room that those before it left.
std::string pages_data(const Document& summary, const std::vector<PagePart>& parts, std::size_t room) {
  std::string data = contents_data(summary, parts);
  auto left = static_cast<std::size_t>(std::count_if(
      parts.begin(), parts.end(), [](const PagePart& part) { return part.report->page != nullptr; }));
  for (const PagePart& part : parts) {
    if (!part.report->page) continue;
    data += '\n';
    data += part.report->page((room - std::min(room, data.size())) / left--);
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
