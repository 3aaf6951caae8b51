#include "harness/report/documents/history_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "harness/base/text.h"
#include "harness/report/documents/identity.h"
#include "harness/report/numbers.h"
#include "harness/report/sparkline.h"

namespace harness::report {
namespace {

std::string hash_of(const std::string& commit) {
  return commit.substr(0, 10);
}

std::string device_of(const Trend& trend) {
  return std::string(trim(trend.machine_class + " " + trend.device_uuid));
}

std::string name_of_series(const Trend& trend) {
  return trend.case_id + ", " + trend.metric;
}

// The two or three words that a row has room for.
Cell finding_of(const Trend& trend) {
  if (got_worse(trend)) return {trend.newest && trend.newest->worse ? "worse" : "creeps", Paint::bad};
  if (!trend.changes.empty()) {
    const TrendChange& last = trend.changes.back();
    if (last.worse && last.matters)
      return {trend.informative ? "worse (informative)" : "worse before", Paint::doubtful};
    if (!last.worse && last.matters) return {"better", Paint::good};
    return {"small change", Paint::faint};
  }
  return {"", Paint::plain};
}

GridRow row_of(const Trend& trend, std::string label, const Scale& scale, std::size_t columns, bool unicode) {
  std::vector<double> centers;
  for (const TrendPoint& point : trend.points) centers.push_back(point.center);
  GridRow row{std::move(label), {}};
  const TrendPoint* newest = trend.points.empty() ? nullptr : &trend.points.back();
  row.cells.push_back({newest == nullptr ? std::string(unknown) : quantity(newest->center, scale)});
  row.cells.push_back({trend.newest ? signed_percent(trend.newest->ratio - 1) : std::string(unknown)});
  row.cells.push_back({trend.newest ? percent_bounds(trend.newest->interval) : std::string()});
  row.cells.push_back({fmt::format("{}", trend.points.size())});
  row.cells.push_back({sparkline(centers, columns, 2 * std::log1p(trend.margin), unicode)});
  row.cells.push_back(finding_of(trend));
  return row;
}

// A section a device and metric, in order of first appearance; devices never share one.
void add_sections(const HistoryReport& history, HistoryTable& table, std::size_t columns, bool unicode) {
  using Group = std::tuple<std::string, std::string, std::string>;
  std::vector<Group> order;
  std::map<Group, std::vector<const Trend*>> groups;
  std::vector<std::string> ids;
  for (const Trend& trend : history.trends) {
    Group group{device_of(trend), trend.metric, trend.unit};
    auto& members = groups[group];
    if (members.empty()) order.push_back(group);
    members.push_back(&trend);
    if (std::find(ids.begin(), ids.end(), trend.case_id) == ids.end()) ids.push_back(trend.case_id);
  }
  const Shared shared = factor_ids(ids);
  std::map<std::string, std::string> labels;
  for (std::size_t i = 0; i < ids.size(); ++i) labels[ids[i]] = shared.labels[i];
  table.grid.shared = shared.pattern;
  for (const Group& group : order) {
    std::vector<double> values;
    for (const Trend* trend : groups[group])
      if (!trend->points.empty()) values.push_back(trend->points.back().center);
    const Scale scale = scale_for(std::get<2>(group), values);
    Section section;
    section.heading = std::get<1>(group) + (scale.unit.empty() ? "" : " in " + scale.unit) +
                      (std::get<0>(group).empty() ? "" : ", " + std::get<0>(group));
    section.paint = Paint::strong;
    for (const Trend* trend : groups[group])
      section.rows.push_back(row_of(*trend, labels[trend->case_id], scale, columns, unicode));
    table.grid.sections.push_back(std::move(section));
  }
}

std::string commit_words(const Trend& trend, const std::string& commit) {
  for (const TrendPoint& point : trend.points)
    if (point.commit == commit)
      return fmt::format("{} ({}{}{})", hash_of(commit), point.date.substr(0, 10),
                         point.subject.empty() ? "" : ", ", point.subject);
  return hash_of(commit);
}

std::string range_words(const Trend& trend, const TrendChange& change) {
  std::string text = "since " + commit_words(trend, change.first);
  if (change.unmeasured > 0)
    text += fmt::format("; {} before it, after {}, {} not measured",
                        counted(static_cast<std::size_t>(change.unmeasured), "commit", "commits"),
                        hash_of(change.before), change.unmeasured == 1 ? "was" : "were");
  return text;
}

HistoryFinding finding_lines(const Trend& trend) {
  HistoryFinding finding{name_of_series(trend), got_worse(trend), {}};
  if (trend.newest && trend.newest->worse)
    finding.lines.push_back(fmt::format(
        "the newest result is worse than the anchor ({}{}) by more than the margin of {}: {} {}, adjusted p "
        "{}",
        trend.anchor->described, trend.anchor->commit.empty() ? "" : ", " + hash_of(trend.anchor->commit),
        plain_percent(trend.margin), signed_percent(trend.newest->ratio - 1),
        percent_bounds(trend.newest->interval), probability(trend.newest->p_adjusted)));
  if (trend.creep)
    finding.lines.push_back(fmt::format(
        "creeps: results since {} lie beyond half the margin; at {} they had added up to {} over the anchor",
        commit_words(trend, trend.points[trend.creep->started].commit),
        hash_of(trend.points[trend.creep->index].commit), signed_percent(trend.creep->ratio - 1)));
  for (const TrendChange& change : trend.changes)
    finding.lines.push_back(fmt::format("{} by {} {} {}; adjusted p {}{}", change.worse ? "worse" : "better",
                                        signed_percent(change.ratio - 1), percent_bounds(change.interval),
                                        range_words(trend, change), probability(change.p_adjusted),
                                        change.matters ? "" : "; within the margin"));
  if (finding.worse)
    for (auto change = trend.changes.rbegin(); change != trend.changes.rend(); ++change)
      if (change->worse && change->matters && change->unmeasured > 0) {
        finding.lines.push_back(
            fmt::format("find the commit: harness bisect SUITE --good {} --bad {} --case {}",
                        hash_of(change->before), hash_of(change->first), shell_quoted(trend.case_id)));
        break;
      }
  return finding;
}

std::string anchor_words(const HistoryReport& history) {
  std::map<std::string, std::size_t> anchors;
  for (const Trend& trend : history.trends)
    if (trend.anchor)
      ++anchors[trend.anchor->described +
                (trend.anchor->commit.empty() ? "" : " (" + hash_of(trend.anchor->commit) + ")")];
  std::vector<std::string> words;
  for (const auto& [described, count] : anchors)
    words.push_back(anchors.size() == 1
                        ? described
                        : fmt::format("{} for {}", described, counted(count, "series", "series")));
  return words.size() <= 4 ? join(words, "; ") : fmt::format("{} different ones", words.size());
}

// "0.1 %", or "0.08 % to 0.2 %, from calibrations" where these say so.
std::string sessions_text(const HistoryReport& history) {
  double least = history.session_sd, most = history.session_sd;
  bool first = true;
  for (const Trend& trend : history.trends) {
    least = first ? trend.session_sd : std::min(least, trend.session_sd);
    most = first ? trend.session_sd : std::max(most, trend.session_sd);
    first = false;
  }
  if (least == history.session_sd && most == history.session_sd) return plain_percent(history.session_sd);
  return fmt::format("{} to {}, from calibrations", short_percent(least), short_percent(most));
}

}  // namespace

HistoryTable describe_history(const HistoryReport& history, std::size_t spark_columns, bool unicode) {
  HistoryTable table;
  std::size_t worse = 0;
  for (const Trend& trend : history.trends) worse += got_worse(trend) ? 1 : 0;
  table.worse = worse > 0;
  table.headline = history.trends.empty() ? "no results on this branch"
                   : worse == 0           ? fmt::format("no change for the worse since the anchor in {}",
                                                        counted(history.trends.size(), "series", "series"))
                                          : fmt::format("WORSE: {} of {} got worse since the anchor", worse,
                                                        counted(history.trends.size(), "series", "series"));
  table.facts = {{"suite", history.suite},
                 {"branch", fmt::format("{} ({})", history.branch, hash_of(history.head))},
                 {"commits", fmt::format("{} measured of {} along first parents",
                                         grouped_digits(history.measured), grouped_digits(history.commits))}};
  if (const std::string anchors = anchor_words(history); !anchors.empty())
    table.facts.emplace_back("anchor", anchors);
  table.facts.emplace_back(
      "rule",
      fmt::format("change points at {} over all series (Benjamini-Hochberg), CUSUM with half the margin, "
                  "newest against anchor by Welch's t; sd between sessions {}",
                  plain_percent(history.alpha), sessions_text(history)));
  table.grid.label_header = "case";
  table.grid.columns = {
      {"newest", Align::decimal, 0, 0, false, false}, {"since anchor", Align::decimal, 0, 0, false, false},
      {"interval", Align::left, 0, 3, true, false},   {"points", Align::right, 0, 2, false, false},
      {"trend", Align::left, 0, 1, false, false},     {"", Align::left, 0, 0, false, false}};
  add_sections(history, table, spark_columns, unicode);
  for (const Trend& trend : history.trends)
    if (HistoryFinding finding = finding_lines(trend); !finding.lines.empty())
      table.findings.push_back(std::move(finding));
  std::stable_partition(table.findings.begin(), table.findings.end(),
                        [](const HistoryFinding& one) { return one.worse; });
  table.notes = history.notes;
  return table;
}

}  // namespace harness::report
