#include "harness/report/media/html_text.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/numbers.h"
#include "harness/report/sparkline.h"

namespace harness::report {
namespace {

constexpr std::size_t trend_columns = 40;

constexpr std::string_view style_sheet =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.1rem .6rem;text-align:left}"
    "thead{border-bottom:1px solid}dl{display:grid;grid-template-columns:max-content auto;gap:0 1rem}"
    "dd{margin:0}.strong{font-weight:bold}.faint{opacity:.7}.good{color:#1a7f37}.bad{color:#cf222e}"
    ".doubtful{color:#9a6700}";

}  // namespace

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
std::string element(std::string_view name, std::string_view raw, Paint paint) {
  if (raw.empty()) return {};
  const std::string look = paint == Paint::plain ? "" : fmt::format(" class=\"{}\"", class_of(paint));
  return fmt::format("<{}{}>{}</{}>\n", name, look, escaped(printable(raw)), name);
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += element("li", line);
  return text.empty() ? text : "<ul>\n" + text + "</ul>\n";
}

namespace {

std::string facts_of(const NamedTexts& facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += element("dt", name) + (value.empty() ? "<dd></dd>\n" : element("dd", value));
  return text.empty() ? text : "<dl>\n" + text + "</dl>\n";
}

std::string cell(std::string_view name, std::string_view raw, Paint paint = Paint::plain) {
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
        for (std::size_t i = 0; i < row.cells.size(); ++i)
          text += cell("td", row.cells.text(i), row.cells.paint(i));
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

}  // namespace

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

}  // namespace harness::report
