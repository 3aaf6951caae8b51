#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "harness/base/text.h"
#include "harness/model/results/summary_fields.h"
#include "harness/report/documents.h"
#include "harness/report/documents/identity.h"
#include "harness/report/documents/lists/alert_lines.h"
#include "harness/report/media/page/history_page.h"
#include "harness/report/media/report_json.h"
#include "harness/report/numbers.h"
#include "harness/report/schemas.h"
#include "harness/report/words/study_words.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

std::vector<std::string> history_notes(const HistoryReport& history) {
  std::vector<std::string> lines;
  for (const HistoryNote& note : history.notes) lines.push_back(words(note));
  return lines;
}

}  // namespace
}  // namespace harness::report

namespace harness {

template <>
struct Described<TrendPoint> {
  using Point = TrendPoint;
  static constexpr auto fields = list_fields<Point>(
      JsonLayout::lines, field("commit", &Point::commit), field("date", &Point::date),
      field("subject", &Point::subject), field("record", &Point::record), field("distance", &Point::distance),
      field("processes", &Point::processes), field("center", &Point::center),
      field("process_sd", &Point::process_sd), field("interval", &Point::interval));
};

template <>
struct Described<TrendChange> {
  using Change = TrendChange;
  static constexpr auto fields = list_fields<Change>(
      JsonLayout::lines, field("index", &Change::index), field("before", &Change::before),
      field("first", &Change::first), field("unmeasured", &Change::unmeasured),
      field("ratio", &Change::ratio), field("interval", &Change::interval), field("p", &Change::p),
      field("p_adjusted", &Change::p_adjusted), field("worse", &Change::worse),
      field("matters", &Change::matters), field("after_anchor", &Change::after_anchor));
};

template <>
struct Described<TrendCreep> {
  static constexpr auto fields =
      list_fields<TrendCreep>(JsonLayout::lines, field("index", &TrendCreep::index),
                              field("started", &TrendCreep::started), field("ratio", &TrendCreep::ratio));
};

template <>
struct Described<TrendAnchor> {
  using Anchor = TrendAnchor;
  static constexpr auto fields = list_fields<Anchor>(
      JsonLayout::lines, derived("described", [](const Anchor& anchor) { return report::words(anchor); }),
      field("commit", &Anchor::commit),
      field("distance", &Anchor::distance).null_when_default().when([](const Anchor& anchor) {
        return anchor.distance >= 0;
      }),
      field("processes", &Anchor::processes), field("center", &Anchor::center));
};

template <>
struct Described<TrendStanding> {
  using Standing = TrendStanding;
  static constexpr auto fields = list_fields<Standing>(
      JsonLayout::lines, field("ratio", &Standing::ratio), field("interval", &Standing::interval),
      field("p", &Standing::p), field("p_adjusted", &Standing::p_adjusted), field("worse", &Standing::worse));
};

template <>
struct Described<Trend> {
  static constexpr auto device =
      list_fields<Trend>(JsonLayout::lines, field("kind", &Trend::device),
                         field("class", &Trend::machine_class), field("uuid", &Trend::device_uuid));
  static constexpr auto fields = list_fields<Trend>(
      JsonLayout::lines, field("case", &Trend::case_id), field("metric", &Trend::metric),
      field("unit", &Trend::unit), field("direction", &Trend::direction), group("device", device),
      field("margin", &Trend::margin), field("session_sd", &Trend::session_sd), field("alpha", &Trend::alpha),
      field("informative", &Trend::informative), derived("worse", got_worse), field("anchor", &Trend::anchor),
      field("newest", &Trend::newest), field("creep", &Trend::creep), field("changes", &Trend::changes),
      field("points", &Trend::points));
};

template <>
struct Described<Alert> {
  static constexpr auto fields = list_fields<Alert>(
      JsonLayout::lines, field("started", &Alert::started), field("commit", &Alert::commit),
      field("device", &Alert::device_uuid), field("mark", &Alert::mark), field("records", &Alert::records),
      field("cases", &Alert::cases));
};

template <>
struct Described<MissedSlowdown> {
  using Missed = MissedSlowdown;
  static constexpr auto fields =
      list_fields<Missed>(JsonLayout::line, field("commit", &Missed::commit),
                          field("source", &Missed::source), field("cases", &Missed::cases));
};

template <>
struct Described<AlertRate> {
  using Rate = AlertRate;
  static constexpr auto fields = list_fields<Rate>(
      JsonLayout::line, field("hits", &Rate::hits), field("trials", &Rate::trials),
      derived(
          "rate",
          [](const Rate& rate) { return static_cast<double>(rate.hits) / static_cast<double>(rate.trials); }),
      field("interval", &Rate::interval));
};

template <>
struct Described<AlertRates> {
  using Rates = AlertRates;
  static constexpr auto fields = list_fields<Rates>(
      JsonLayout::lines, field("since", &Rates::since), field("confidence", &Rates::confidence),
      field("unmarked", &Rates::unmarked), field("precision", &Rates::precision),
      field("recall", &Rates::recall), field("alerts", &Rates::alerts), field("missed", &Rates::missed));
};

template <>
struct Described<HistoryReport> {
  using Report = HistoryReport;
  static constexpr auto fields =
      list_fields<Report>(JsonLayout::lines, field("suite", &Report::suite), field("branch", &Report::branch),
                          field("head", &Report::head), field("commits", &Report::commits),
                          field("measured", &Report::measured), field("alpha", &Report::alpha),
                          field("session_sd", &Report::session_sd), derived("notes", report::history_notes),
                          field("alerts", &Report::alerts), field("series", &Report::trends));
};

}  // namespace harness

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

// Two or three words, for a row of the table.
Cell brief_finding(const Trend& trend) {
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

GridRow row_of(const Trend& trend, std::string label, const Scale& scale) {
  std::vector<double> centers;
  for (const TrendPoint& point : trend.points) centers.push_back(point.center);
  GridRow row{std::move(label), {}, trend.case_id};
  const TrendPoint* newest = trend.points.empty() ? nullptr : &trend.points.back();
  row.cells.push_back({newest == nullptr ? std::string(unknown) : quantity(newest->center, scale)});
  row.cells.push_back({trend.newest ? signed_percent(trend.newest->ratio - 1) : std::string(unknown)});
  row.cells.push_back({trend.newest ? percent_bounds(trend.newest->interval) : std::string()});
  row.cells.push_back({fmt::format("{}", trend.points.size())});
  row.cells.push_back({"", Paint::plain, std::move(centers), 2 * std::log1p(trend.margin)});
  row.cells.push_back(brief_finding(trend));
  return row;
}

// A section a device and metric, in order of first appearance; devices never share one.
Grid grid_of(const HistoryReport& history) {
  Grid grid;
  grid.label_header = "case";
  grid.columns = {
      {"newest", Align::decimal, 0, 0, false, false}, {"since anchor", Align::decimal, 0, 0, false, false},
      {"interval", Align::left, 0, 3, true, false},   {"points", Align::right, 0, 2, false, false},
      {"trend", Align::left, 0, 1, false, false},     {"finding", Align::left, 0, 0, false, false}};
  using Group = std::tuple<std::string, std::string, std::string>;
  std::vector<Group> order;
  std::map<Group, std::vector<const Trend*>> groups;
  std::vector<std::string> ids;
  std::set<std::string_view> seen;
  for (const Trend& trend : history.trends) {
    Group group{device_of(trend), trend.metric, trend.unit};
    auto& members = groups[group];
    if (members.empty()) order.push_back(group);
    members.push_back(&trend);
    if (seen.insert(trend.case_id).second) ids.push_back(trend.case_id);
  }
  const Shared shared = factor_ids(ids);
  std::map<std::string, std::string> labels;
  for (std::size_t i = 0; i < ids.size(); ++i) labels[ids[i]] = shared.labels[i];
  grid.shared = shared.pattern;
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
      section.rows.push_back(row_of(*trend, labels[trend->case_id], scale));
    grid.sections.push_back(std::move(section));
  }
  return grid;
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

Finding finding_of(const Trend& trend) {
  const bool worse = got_worse(trend);
  Finding finding{{name_of_series(trend)}, worse ? "worse" : "changed", worse ? Paint::bad : Paint::plain};
  if (trend.newest && trend.newest->worse)
    finding.advice.push_back(fmt::format(
        "the newest result is worse than the anchor ({}{}) by more than the margin of {}: {} {}, adjusted p "
        "{}",
        words(*trend.anchor), trend.anchor->commit.empty() ? "" : ", " + hash_of(trend.anchor->commit),
        plain_percent(trend.margin), signed_percent(trend.newest->ratio - 1),
        percent_bounds(trend.newest->interval), probability(trend.newest->p_adjusted)));
  if (trend.creep)
    finding.advice.push_back(fmt::format(
        "creeps: results since {} lie beyond half the margin; at {} they add up to {} over the anchor",
        commit_words(trend, trend.points[trend.creep->started].commit),
        hash_of(trend.points[trend.creep->index].commit), signed_percent(trend.creep->ratio - 1)));
  for (const TrendChange& change : trend.changes)
    finding.advice.push_back(fmt::format("{} by {} {} {}; adjusted p {}{}", change.worse ? "worse" : "better",
                                         signed_percent(change.ratio - 1), percent_bounds(change.interval),
                                         range_words(trend, change), probability(change.p_adjusted),
                                         change.matters ? "" : "; within the margin"));
  if (worse)
    for (auto change = trend.changes.rbegin(); change != trend.changes.rend(); ++change)
      if (change->worse && change->matters && change->unmeasured > 0) {
        finding.advice.push_back(
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
      ++anchors[words(*trend.anchor) +
                (trend.anchor->commit.empty() ? "" : " (" + hash_of(trend.anchor->commit) + ")")];
  std::vector<std::string> parts;
  for (const auto& [described, count] : anchors)
    parts.push_back(anchors.size() == 1
                        ? described
                        : fmt::format("{} for {}", described, counted(count, "series", "series")));
  return parts.size() <= 4 ? join(parts, "; ") : fmt::format("{} different ones", parts.size());
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
  const std::string from = short_percent(least), to = short_percent(most);
  return (from == to ? from : from + " to " + to) + ", from calibrations or each series itself";
}

// Series with something to tell, those that got worse first.
std::vector<Finding> findings_of(const HistoryReport& history) {
  std::vector<Finding> findings;
  for (const Trend& trend : history.trends)
    if (Finding finding = finding_of(trend); !finding.advice.empty()) findings.push_back(std::move(finding));
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& one) { return one.paint == Paint::bad; });
  return findings;
}

NamedTexts facts_of(const HistoryReport& history) {
  NamedTexts facts{
      {"suite", history.suite},
      {"branch", fmt::format("{} ({})", history.branch, hash_of(history.head))},
      {"commits", fmt::format("{} measured of {} along first parents", grouped_digits(history.measured),
                              grouped_digits(history.commits))}};
  if (const std::string anchors = anchor_words(history); !anchors.empty())
    facts.emplace_back("anchor", anchors);
  facts.emplace_back(
      "rule",
      fmt::format("change points at {} over all series (Benjamini-Hochberg), CUSUM with half the margin, "
                  "newest against anchor by Welch's t; sd between sessions {}",
                  plain_percent(history.alpha), sessions_text(history)));
  return facts;
}

std::string headline_of(const HistoryReport& history) {
  const std::string series = counted(history.trends.size(), "series", "series");
  const auto worse = std::count_if(history.trends.begin(), history.trends.end(), got_worse);
  if (history.trends.empty()) return "no results on this branch";
  if (worse == 0) return "no change for the worse since the anchor in " + series;
  return fmt::format("WORSE: {} of {} got worse since the anchor", worse, series);
}

CiView ci_of(const HistoryReport& history) {
  CiView view{history.suite};
  for (const Trend& trend : history.trends) {
    const bool worse = got_worse(trend);
    const Finding finding = finding_of(trend);
    CiCase one{
        name_of_series(trend), {}, worse ? CiState::failure : CiState::passed, worse ? "worse" : "not_worse"};
    one.message = worse ? headline_of(history) : "";
    one.body = one.output = one.explanation = join(finding.advice, "\n");
    if (!finding.advice.empty()) one.message = finding.advice.front();
    one.label = one.code;
    one.alarm = worse ? Alarm::error : Alarm::none;
    view.cases.push_back(std::move(one));
  }
  if (std::none_of(history.trends.begin(), history.trends.end(), got_worse))
    view.alerts.push_back({Alarm::notice, headline_of(history), join(history_notes(history), "\n")});
  view.output = history_notes(history);
  return view;
}

}  // namespace

Report history_document(const HistoryReport& history, const HistoryExtras* extras) {
  Document document;
  document.title = history.suite + ": history";
  document.headline = headline_of(history);
  document.tone =
      std::any_of(history.trends.begin(), history.trends.end(), got_worse) ? Paint::bad : Paint::strong;
  document.facts = facts_of(history);
  document.blocks = {{Table{"", grid_of(history)}},
                     {Findings{"what changed", findings_of(history)}},
                     {List{"passed over", history_notes(history)}}};
  HistoryWords in_words{document.headline,
                        document.tone,
                        document.facts,
                        history_notes(history),
                        {},
                        brief_finding,
                        [](const Trend& trend) { return finding_of(trend).advice; }};
  if (history.alerts && (!history.alerts->alerts.empty() || !history.alerts->missed.empty())) {
    in_words.alerts = alert_lines(*history.alerts);
    document.blocks.push_back({List{"alerts since " + history.alerts->since, in_words.alerts}});
  }
  Report report{std::move(document), [&history] { return ci_of(history); },
                [&history] { return report_json(history, formats::history); }};
  if (extras != nullptr)
    report.page = [&history, extras, in_words](std::size_t room) {
      return history_page(history, *extras, in_words, room == 0 ? 0 : std::max(room, largest_history));
    };
  return report;
}

std::string history_schema() {
  return schema_text(Described<HistoryReport>::fields, formats::history);
}

}  // namespace harness::report
