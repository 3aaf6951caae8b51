#include "harness/study/rate_alerts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/stats/hypothesis/proportion.h"

namespace harness {
namespace {

using Device = std::pair<std::string, std::string>;  // machine class, UUID

Device device_of(const JudgedRun& run) {
  return {run.machine_class, run.device_uuid};
}

// An alert, and the devices on which it goes on.
struct OpenAlert {
  Alert alert;
  std::set<Device> devices = {};
  std::set<Device> passed = {};  // devices that had a whole record without it since it began

  // Whether a red record of another device tells of the same slowdown. It does not where that device has
  // passed meanwhile: one that is away keeps its alert open, and later slowdowns of others are not of it.
  [[nodiscard]] bool takes(const JudgedRun& run) const {
    if (passed.contains(device_of(run))) return false;
    return alert.commit == run.commit ||
           std::any_of(run.red.begin(), run.red.end(),
                       [&](const std::string& one) { return alert.cases.contains(one); });
  }
};

std::vector<Alert> find_alerts(std::span<const JudgedRun> runs, const std::string& since) {
  std::vector<OpenAlert> open;
  std::vector<Alert> alerts;
  const auto open_on = [&](const Device& device) {
    return std::find_if(open.begin(), open.end(),
                        [&](const OpenAlert& one) { return one.devices.contains(device); });
  };
  for (const JudgedRun& run : runs) {
    const Device device = device_of(run);
    auto one = open_on(device);
    if (run.red.empty()) {
      if (!run.passed || !run.whole) continue;
      for (OpenAlert& other : open) other.passed.insert(device);
      if (one == open.end()) continue;
      one->devices.erase(device);
      if (!one->devices.empty()) continue;
      alerts.push_back(std::move(one->alert));
      open.erase(one);
      continue;
    }
    if (one == open.end())
      one = std::find_if(open.begin(), open.end(), [&](const OpenAlert& other) { return other.takes(run); });
    if (one == open.end()) {
      one = open.emplace(open.end());
      one->alert.commit = run.commit;
      one->alert.started = run.started;
      one->alert.device_uuid = run.device_uuid;
    }
    one->devices.insert(device);
    one->alert.records.push_back(run.record);
    one->alert.cases.insert(run.red.begin(), run.red.end());
    if (run.mark && *run.mark != AlertMark::missed) one->alert.mark = run.mark;
  }
  for (OpenAlert& one : open) alerts.push_back(std::move(one.alert));
  std::erase_if(alerts, [&](const Alert& one) { return one.started < since; });
  std::stable_sort(alerts.begin(), alerts.end(),
                   [](const Alert& one, const Alert& other) { return one.started < other.started; });
  return alerts;
}

// A change point may lie one result too late, so the point before it counts, too.
struct Around {
  std::set<std::string> commits;
  bool told = false;  // by an alert or a waiver
};

Around around(std::span<const JudgedRun> runs, const Trend& trend, std::size_t change) {
  const std::size_t index = trend.changes[change].index;
  const std::size_t end =
      change + 1 < trend.changes.size() ? trend.changes[change + 1].index : trend.points.size();
  Around found;
  // A record names one device, and may hold cases of others. So the devices are those of the points' records.
  std::set<std::string> records;
  for (std::size_t i = index == 0 ? 0 : index - 1; i < end; ++i) {
    found.commits.insert(trend.points[i].commit);
    records.insert(trend.points[i].record);
  }
  std::set<Device> devices{{trend.machine_class, trend.device_uuid}};
  for (const JudgedRun& run : runs)
    if (records.contains(run.record)) devices.insert(device_of(run));
  found.told = std::any_of(runs.begin(), runs.end(), [&](const JudgedRun& run) {
    return devices.contains(device_of(run)) && found.commits.contains(run.commit) &&
           (run.red.contains(trend.case_id) || run.waived.contains(trend.case_id));
  });
  return found;
}

// Series that changed at the same commit missed one slowdown. A record that is marked and lies around a
// change point tells of the same one.
std::vector<MissedSlowdown> find_missed(std::span<const JudgedRun> runs, std::span<const Trend> trends,
                                        const std::string& since) {
  std::map<std::string, std::pair<std::string, MissedSlowdown>> by_commit;  // with its date
  std::set<std::string> known;                                              // commits around these
  for (const Trend& trend : trends) {
    if (trend.informative) continue;
    for (std::size_t i = 0; i < trend.changes.size(); ++i) {
      const TrendChange& change = trend.changes[i];
      const std::string& date = trend.points[change.index].date;
      if (!change.worse || !change.matters || date < since) continue;
      const Around near = around(runs, trend, i);
      if (near.told) continue;
      auto& [first, missed] = by_commit[change.first];
      first = date;
      missed.source = MissedSlowdown::Source::change_point;
      missed.commit = change.first;
      missed.cases.insert(trend.case_id);
      known.insert(near.commits.begin(), near.commits.end());
    }
  }
  for (const JudgedRun& run : runs)
    if (run.mark == AlertMark::missed && run.started >= since && !known.contains(run.commit))
      by_commit[run.commit] = {run.started, {MissedSlowdown::Source::mark, run.commit, {}}};
  std::vector<std::pair<std::string, MissedSlowdown>> dated;
  for (auto& [commit, one] : by_commit) dated.push_back(std::move(one));
  std::stable_sort(dated.begin(), dated.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<MissedSlowdown> missed;
  for (auto& [date, one] : dated) missed.push_back(std::move(one));
  return missed;
}

std::optional<AlertRate> rate_of(std::size_t hits, std::size_t trials, double confidence) {
  if (trials == 0) return std::nullopt;
  const stats::Bounds bounds = stats::clopper_pearson(hits, trials, confidence);
  return AlertRate{hits, trials, {bounds.lo, bounds.hi}};
}

}  // namespace

AlertRates rate_alerts(std::span<const JudgedRun> runs, std::span<const Trend> trends,
                       const std::string& since) {
  AlertRates rates;
  rates.since = since;
  rates.alerts = find_alerts(runs, since);
  rates.missed = find_missed(runs, trends, since);
  std::size_t right = 0, wrong = 0;
  for (const Alert& alert : rates.alerts) {
    if (!alert.mark)
      ++rates.unmarked;
    else
      ++(*alert.mark == AlertMark::true_alert ? right : wrong);
  }
  rates.precision = rate_of(right, right + wrong, rates.confidence);
  rates.recall = rate_of(right, right + rates.missed.size(), rates.confidence);
  return rates;
}

}  // namespace harness
