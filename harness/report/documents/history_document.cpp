#include "harness/report/documents/history_document.h"

#include <algorithm>

#include "harness/report/documents/history_table.h"
#include "harness/report/media/json_parts.h"
#include "harness/report/media/markdown_lists.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/media/terminal_lists.h"
#include "harness/report/media/terminal_text.h"

namespace harness {
namespace report {
namespace {

constexpr std::size_t other_columns = 78;  // that a row has beside its sparkline
constexpr std::size_t markdown_spark = 24;

std::string terminal_history(const HistoryReport& history, const Style& style, bool unicode) {
  const std::size_t width = columns_of(style);
  const std::size_t spark = std::clamp<std::size_t>(width > other_columns ? width - other_columns : 0, 8, 40);
  const HistoryTable table = describe_history(history, spark, unicode);
  std::string text =
      painted_lines(wrapped(table.headline, "", style), table.worse ? Paint::bad : Paint::strong, style);
  text += fact_lines(table.facts, style);
  if (!table.grid.sections.empty()) text += "\n" + draw(table.grid, style);
  if (!table.findings.empty()) text += "\n" + paint("what changed", Paint::strong, style) + "\n";
  for (const HistoryFinding& finding : table.findings) {
    text += "  " +
            paint(safe_name(finding.series, width - 2), finding.worse ? Paint::bad : Paint::strong, style) +
            "\n";
    for (const std::string& line : finding.lines) text += wrapped(line, "      - ", style);
  }
  if (!table.notes.empty()) text += "\n" + paint("passed over", Paint::strong, style) + "\n";
  for (const std::string& note : table.notes) text += wrapped(note, "  - ", style);
  return text;
}

std::string markdown_history(const HistoryReport& history) {
  const HistoryTable table = describe_history(history, markdown_spark, true);
  std::string text = "### " + markdown_prose(table.headline) + "\n\n" + markdown_facts(table.facts);
  if (!table.grid.sections.empty()) text += "\n" + markdown_table(table.grid);
  if (!table.findings.empty()) text += "\n";
  for (const HistoryFinding& finding : table.findings) {
    text += "- " + std::string(finding.worse ? "🔴 " : "⚪ ") + markdown_code(finding.series) + "\n";
    for (const std::string& line : finding.lines) text += "  - " + markdown_prose(line) + "\n";
  }
  if (!table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) text += "- " + markdown_prose(note) + "\n";
  return text;
}

Json point_json(const TrendPoint& point) {
  return {{"commit", point.commit},
          {"date", point.date},
          {"subject", point.subject},
          {"record", point.record},
          {"distance", point.distance},
          {"processes", point.processes},
          {"center", number(point.center)},
          {"process_sd", number(point.process_sd)},
          {"interval", interval_json(point.interval)}};
}

Json change_json(const TrendChange& change) {
  return {{"index", change.index},
          {"before", change.before},
          {"first", change.first},
          {"unmeasured", change.unmeasured},
          {"ratio", number(change.ratio)},
          {"interval", interval_json(change.interval)},
          {"p", number(change.p)},
          {"p_adjusted", number(change.p_adjusted)},
          {"worse", change.worse},
          {"matters", change.matters},
          {"after_anchor", change.after_anchor}};
}

Json trend_json(const Trend& trend) {
  Json json{{"case", trend.case_id},
            {"metric", trend.metric},
            {"unit", trend.unit},
            {"direction", std::string(name_of(trend.direction))},
            {"device", {{"kind", trend.device}, {"class", trend.machine_class}, {"uuid", trend.device_uuid}}},
            {"margin", number(trend.margin)},
            {"session_sd", number(trend.session_sd)},
            {"alpha", number(trend.alpha)},
            {"informative", trend.informative},
            {"worse", got_worse(trend)}};
  json["anchor"] = nullptr;
  if (trend.anchor)
    json["anchor"] = {{"described", trend.anchor->described},
                      {"commit", trend.anchor->commit},
                      {"distance", trend.anchor->distance < 0 ? Json(nullptr) : Json(trend.anchor->distance)},
                      {"processes", trend.anchor->processes},
                      {"center", number(trend.anchor->center)}};
  json["newest"] = nullptr;
  if (trend.newest)
    json["newest"] = {{"ratio", number(trend.newest->ratio)},
                      {"interval", interval_json(trend.newest->interval)},
                      {"p", number(trend.newest->p)},
                      {"p_adjusted", number(trend.newest->p_adjusted)},
                      {"worse", trend.newest->worse}};
  json["creep"] = nullptr;
  if (trend.creep)
    json["creep"] = {{"index", trend.creep->index},
                     {"started", trend.creep->started},
                     {"ratio", number(trend.creep->ratio)}};
  json["changes"] = Json::array();
  for (const TrendChange& change : trend.changes) json["changes"].push_back(change_json(change));
  json["points"] = Json::array();
  for (const TrendPoint& point : trend.points) json["points"].push_back(point_json(point));
  return json;
}

std::string json_history(const HistoryReport& history) {
  Json json{{"format", "harness-history"},
            {"version", 1},
            {"suite", history.suite},
            {"branch", history.branch},
            {"head", history.head},
            {"commits", history.commits},
            {"measured", history.measured},
            {"alpha", number(history.alpha)},
            {"session_sd", number(history.session_sd)},
            {"notes", history.notes},
            {"series", Json::array()}};
  for (const Trend& trend : history.trends) json["series"].push_back(trend_json(trend));
  return dump(json);
}

}  // namespace
}  // namespace report

std::vector<Format> history_formats() {
  return {Format::terminal, Format::markdown, Format::json};
}

std::string render_history(const HistoryReport& history, Format format, const Style& style, bool unicode) {
  if (format == Format::json) return report::json_history(history);
  if (format == Format::markdown) return report::markdown_history(history);
  return report::terminal_history(history, style, unicode);
}

}  // namespace harness
