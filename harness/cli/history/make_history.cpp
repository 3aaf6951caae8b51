#include "harness/cli/history/make_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/history/alert_history.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/model/codec.h"
#include "harness/model/known_metrics.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/store/baselines.h"
#include "harness/store/select.h"
#include "harness/study/session_spreads.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/read/process_values.h"

namespace harness {
namespace {

constexpr int most_commits = 100'000;

Result<std::string> choose_suite(Store& store, const std::string& asked) {
  const auto known = suites_of(store);
  if (!known) return fail(known.error());
  if (asked.empty() && known->size() == 1) return known->front();
  if (asked.empty())
    return fail(ErrorKind::usage,
                fmt::format("the store has results of several suites: {}", printable(join(*known, ", "))),
                "name one with --suite");
  if (std::find(known->begin(), known->end(), asked) == known->end())
    return fail(ErrorKind::missing, fmt::format("no results of suite `{}` in the store", printable(asked)),
                suggestion(asked, *known));
  return asked;
}

Result<std::string> branch_name(const std::string& folder, const std::string& asked) {
  if (!asked.empty()) return asked;
  if (const Status repository = check_repository(folder); !repository) return fail(repository.error());
  return resolve_revision(folder, "main") ? "main" : "HEAD";
}

// Where `commit` stands in the window, or an error.
Result<std::size_t> place_of(const Window& window, const std::string& option, const std::string& name,
                             const std::string& folder) {
  const Result<std::string> hash = resolve_revision(folder, name);
  if (!hash) return fail(hash.error().kind, option + ": " + hash.error().message, hash.error().advice);
  for (std::size_t i = 0; i < window.commits.size(); ++i)
    if (window.commits[i].hash == *hash) return i;
  return fail(ErrorKind::usage,
              fmt::format("{}: {} ({}) is not a commit of the branch along first parents", option,
                          printable(name), hash->substr(0, 10)),
              "name a commit of the branch itself, such as a merge into it");
}

// Cuts the window to what came since a revision (which is included) or a date.
Status cut(Window& window, const HistoryStart& since, const std::string& folder) {
  if (!since.day.empty()) {
    while (window.end > window.begin && window.commits[window.end - 1].date < since.day) --window.end;
    return {};
  }
  const Result<std::size_t> place = place_of(window, "--since", since.revision, folder);
  if (!place)
    return fail(place.error().kind, place.error().message,
                place.error().advice.empty() ? "write a revision or a date such as 2026-11-20"
                                             : place.error().advice);
  window.end = *place + 1;
  return {};
}

// The results at a revision of the branch, or the nearest before it, as anchors of each series.
Result<std::vector<Anchor>> named_anchor(const StoredHistory& stored, const Window& all,
                                         const std::string& name, const std::string& folder) {
  const Result<std::size_t> place = place_of(all, "--anchor", name, folder);
  if (!place) return fail(place.error());
  Window before{all.commits, *place, all.commits.size()};
  std::vector<Anchor> anchors;
  for (const MeasuredSeries& series : series_of_branch(stored, before, {}, {}).series) {
    if (series.points.empty()) continue;
    const TrendPoint& point = series.points.back().point;
    Anchor anchor{TrendAnchor::Kind::revision, name, point.commit, point.distance, series.trend.machine_class,
                  series.trend.device_uuid,    {}};
    anchor.log_values[{series.trend.case_id, series.trend.metric}] = series.points.back().log_values;
    anchors.push_back(std::move(anchor));
  }
  if (anchors.empty())
    return fail(ErrorKind::missing, fmt::format("--anchor: no results at {} or before it", printable(name)),
                "name a later revision, or measure that one");
  return anchors;
}

Anchor anchor_of(const Record& record, const std::string& path, const Window& all) {
  Anchor anchor;
  anchor.kind = TrendAnchor::Kind::pinned;
  anchor.name = path;
  anchor.commit = record.revision.commit;
  for (std::size_t i = 0; i < all.commits.size(); ++i)
    if (all.commits[i].hash == anchor.commit) anchor.distance = static_cast<int>(i);
  for (const CaseRecord& one : record.cases)
    for (const Series& series : one.series) {
      std::vector<double> values = process_values(series);
      for (double& value : values) value = std::log(value);
      anchor.log_values[{one.id, series.metric}] = std::move(values);
    }
  return anchor;
}

// The baselines that are pinned at the branch's newest commit, for the machine classes in the store: one
// anchor for each kind of device of the pinned record.
Result<std::vector<Anchor>> pinned_anchors(const StoredHistory& stored, const Window& all,
                                           const std::string& suite, const std::string& folder) {
  std::set<std::string> classes;
  for (const StoredRun& run : stored.runs) classes.insert(run.info.machine_class);
  std::vector<Anchor> anchors;
  for (const std::string& machine_class : classes) {
    if (!check_baseline_name("machine class", machine_class) || !check_baseline_name("suite", suite))
      continue;
    const std::string path = baseline_path("baselines", machine_class, suite).string();
    const Result<std::string> text = file_at(folder, all.commits.front().hash, "./" + path);
    if (!text && text.error().kind == ErrorKind::missing) continue;
    if (!text) return fail(text.error());
    const Result<Record> record = decode_record(*text, path);
    if (!record) return fail(record.error());
    for (const auto& [kind, machine] : record->machines) {
      Record of_kind = *record;
      std::erase_if(of_kind.cases, [&device = kind](const CaseRecord& one) { return one.device != device; });
      Anchor anchor = anchor_of(of_kind, path, all);
      anchor.machine_class = machine.machine_class;
      anchor.device_uuid = machine.device_uuid;
      anchors.push_back(std::move(anchor));
    }
  }
  return anchors;
}

double center_of(const MeasuredPoint& point) {
  return point.log_values.empty() ? 0 : std::exp(stats::mean(point.log_values));
}

// Each series is judged by the gate that its newest result was planned with.
Status set_gates(Store& store, std::vector<MeasuredSeries>& series, const std::optional<double>& margin) {
  Policy policy;
  policy.margin = margin;
  for (MeasuredSeries& one : series) {
    if (one.points.empty()) continue;
    const Result<CaseRecord> planned = store.planned_case(one.points.back().point.record, one.trend.case_id);
    if (!planned) return fail(planned.error());
    const RowGate gate = gate_of(planned->gate, one.trend.metric, policy);
    one.trend.margin = margin_at(gate, center_of(one.points.back()));
    one.trend.alpha = gate.alpha;
    one.trend.informative = gate.informative;
  }
  return {};
}

// Setting up and first calls are shown where a gate or `--metric` names them.
void leave_out_what_informs(std::vector<MeasuredSeries>& series) {
  std::erase_if(series, [](const MeasuredSeries& one) {
    return one.trend.informative && informs_by_default(one.trend.metric);
  });
}

Status check_pattern(const SeriesOfBranch& found, Store& store, RunQuery query,
                     const HistoryArguments& arguments) {
  if (!found.series.empty()) return {};
  query.cases.clear();
  const Result<StoredHistory> read = store.history(query);
  if (!read) return fail(read.error());
  const StoredHistory& stored = *read;
  if (stored.series.empty()) return {};
  std::vector<std::string> ids;
  std::vector<std::string> metrics;
  for (const StoredSeries& one : stored.series) {
    if (std::find(ids.begin(), ids.end(), one.case_id) == ids.end()) ids.push_back(one.case_id);
    if (std::find(metrics.begin(), metrics.end(), one.metric) == metrics.end()) metrics.push_back(one.metric);
  }
  const bool matches =
      arguments.pattern.empty() || std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
        return wildcard_match(arguments.pattern, id);
      });
  if (!matches)
    return fail(ErrorKind::usage, fmt::format("no case matches `{}`", printable(arguments.pattern)),
                suggestion(arguments.pattern, ids));
  if (!arguments.metric.empty() && std::none_of(metrics.begin(), metrics.end(), [&](const std::string& one) {
        return names_metric(arguments.metric, one);
      }))
    return fail(ErrorKind::usage, fmt::format("no result has the metric `{}`", printable(arguments.metric)),
                suggestion(arguments.metric, metrics));
  return {};
}

// Nothing was left out, so that no slowdown is missed.
bool is_whole(const HistoryArguments& arguments) {
  return arguments.pattern.empty() && arguments.metric.empty() && arguments.last == 0 && !arguments.since;
}

// The spread between sessions of each series: from calibrations in the store, else from its own points.
void take_learned(std::vector<MeasuredSeries>& series, const StoredHistory& stored) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<LearnedSpread>> known;
  for (MeasuredSeries& one : series) {
    Trend& trend = one.trend;
    std::vector<std::vector<double>> values;
    for (const MeasuredPoint& point : one.points) values.push_back(point.log_values);
    if (const auto spread = learn_from_history(trend.case_id, trend.metric, values)) {
      trend.session_sd = spread->session_sd;
      one.session_freedom = freedom_of_history(spread->sessions);
    }
    const auto [found, is_new] = known.try_emplace({trend.device, trend.machine_class, trend.device_uuid});
    if (is_new)
      found->second = learned_of(stored, trend.device, {trend.machine_class, trend.device_uuid, {}, {}});
    for (const LearnedSpread& spread : found->second)
      if (spread.case_id == trend.case_id && spread.metric == trend.metric) {
        trend.session_sd = spread.session_sd;
        one.session_freedom = std::numeric_limits<double>::infinity();
      }
  }
}

}  // namespace

Result<std::vector<std::string>> suites_of(Store& store) {
  RunQuery query;
  query.count_results = false;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  std::set<std::string> names;
  for (const RunInfo& run : *runs)
    if (!run.calibration && !run.paired) names.insert(run.suite);
  if (names.empty())
    return fail(ErrorKind::missing, "the store holds no results", "`harness run SUITE` puts some there");
  return std::vector<std::string>(names.begin(), names.end());
}

Result<HistoryReport> make_history(Store& store, const HistoryArguments& arguments,
                                   const std::string& folder) {
  const Result<std::string> suite = choose_suite(store, arguments.suite);
  if (!suite) return fail(suite.error());
  const Result<std::string> branch = branch_name(folder, arguments.branch);
  if (!branch) return fail(branch.error());
  const Result<std::string> head = resolve_revision(folder, *branch);
  if (!head) return fail(head.error());
  auto commits = first_parents(folder, *head, most_commits);
  if (!commits) return fail(commits.error());
  const Window all{std::move(*commits), 0, 0};
  Window window{all.commits, 0, all.commits.size()};
  if (arguments.since)
    if (const Status done = cut(window, *arguments.since, folder); !done) return fail(done.error());
  RunQuery query;
  query.suite = *suite;
  query.cases = arguments.pattern;
  const auto stored = store.history(query);
  if (!stored) return fail(stored.error());
  const auto anchors = arguments.anchor.empty() ? pinned_anchors(*stored, all, *suite, folder)
                                                : named_anchor(*stored, all, arguments.anchor, folder);
  if (!anchors) return fail(anchors.error());
  SeriesOfBranch found =
      series_of_branch(*stored, window, {arguments.pattern, arguments.metric, arguments.last}, *anchors);
  if (const Status some = check_pattern(found, store, query, arguments); !some) return fail(some.error());
  if (const Status set = set_gates(store, found.series, arguments.margin.margin); !set)
    return fail(set.error());
  if (arguments.metric.empty()) leave_out_what_informs(found.series);
  take_learned(found.series, *stored);
  HistoryReport report;
  const TrendOptions options;
  report.suite = *suite;
  report.branch = *branch;
  report.head = *head;
  report.commits = window.end - window.begin;
  report.measured = found.measured;
  report.alpha = options.alpha;
  report.session_sd = Policy{}.session_sd;
  report.notes = std::move(found.notes);
  if (is_shallow(folder)) report.notes.push_back({HistoryNoteCode::shallow});
  report.trends = find_trends(std::move(found.series), options);
  if (is_whole(arguments)) {
    Result<AlertRates> alerts = read_alerts(store, *stored, all.commits, report.trends);
    if (!alerts) return fail(alerts.error());
    report.alerts = std::move(*alerts);
  }
  return report;
}

}  // namespace harness
