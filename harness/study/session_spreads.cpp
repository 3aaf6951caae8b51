#include "harness/study/session_spreads.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/stats/series/local_noise.h"
#include "harness/stats/spread/components.h"

namespace harness {
namespace {

constexpr double spread_confidence = 0.95;
constexpr double usual_weight = 4;  // degrees of freedom that the usual sd stands for

Spread spread_of(const stats::Component& component) {
  return {std::sqrt(component.variance),
          component.degrees_of_freedom,
          {std::sqrt(component.interval.lo), std::sqrt(component.interval.hi)}};
}

// Log values by group and session; a group is what `key` gives.
template <class Key>
std::vector<std::vector<std::vector<double>>> grouped(const std::vector<SessionValues>& sessions, Key key) {
  std::map<std::string, std::vector<std::vector<double>>> groups;
  for (const SessionValues& session : sessions) groups[key(session)].push_back(session.log_values);
  std::vector<std::vector<std::vector<double>>> values;
  for (auto& [name, group] : groups) values.push_back(std::move(group));
  return values;
}

// The build that was measured on most devices: only within one build do they differ by nothing else.
std::vector<SessionValues> widest_build(const std::vector<SessionValues>& sessions) {
  std::map<std::string, std::set<std::string>> devices;
  for (const SessionValues& session : sessions) devices[session.build].insert(session.device_uuid);
  const auto widest = std::max_element(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  std::vector<SessionValues> chosen;
  for (const SessionValues& session : sessions)
    if (session.build == widest->first) chosen.push_back(session);
  return chosen;
}

// The usable runs of each code that was run three times or more, which a second difference takes. Where fewer
// runs than a history needs have a digest, all count as one code.
std::vector<std::vector<std::size_t>> runs_by_code(const std::vector<std::vector<double>>& log_values,
                                                   const std::vector<std::string>& digests) {
  std::vector<std::size_t> all;
  std::map<std::string, std::vector<std::size_t>> codes;
  std::size_t known = 0;
  for (std::size_t run = 0; run < log_values.size(); ++run) {
    if (!stats::usable(stats::moments(log_values[run]), 1)) continue;
    all.push_back(run);
    if (run >= digests.size() || digests[run].empty()) continue;
    codes[digests[run]].push_back(run);
    ++known;
  }
  if (known < fewest_runs_of_history) return {all};
  std::vector<std::vector<std::size_t>> found;
  for (auto& [digest, runs] : codes)
    if (runs.size() > 2) found.push_back(std::move(runs));
  return found;
}

}  // namespace

double learned_sd(const std::optional<Spread>& spread, double usual) {
  const double variance = spread ? spread->sd * spread->sd : 0;
  return std::sqrt(stats::moderated_variance(variance, spread ? spread->degrees_of_freedom : 0, usual * usual,
                                             usual_weight));
}

Spreads spreads_of(const std::vector<SessionValues>& sessions, const std::string& device_uuid) {
  Spreads spreads;
  std::vector<SessionValues> here;
  std::set<std::string> devices;
  for (const SessionValues& session : sessions) {
    devices.insert(session.device_uuid);
    if (session.device_uuid == device_uuid) here.push_back(session);
  }
  spreads.sessions = static_cast<int>(here.size());
  spreads.devices = static_cast<int>(devices.size());
  const auto on_device = stats::variance_components(
      grouped(here, [](const SessionValues& s) { return s.build; }), spread_confidence);
  if (on_device) spreads.process = spread_of(on_device->within);
  if (on_device && on_device->between) spreads.session = spread_of(*on_device->between);
  const auto across = stats::variance_components(
      grouped(widest_build(sessions), [](const SessionValues& s) { return s.device_uuid; }),
      spread_confidence);
  if (across && across->among) spreads.of_devices = spread_of(*across->among);
  return spreads;
}

std::vector<LearnedSpread> learn_spreads(const std::vector<CalibrationSession>& sessions,
                                         const std::string& device_uuid) {
  std::map<std::pair<std::string, std::string>, std::vector<SessionValues>> cases;
  for (const CalibrationSession& one : sessions)
    if (!one.log_values.empty())
      cases[{one.case_id, one.metric}].push_back({one.device_uuid, one.build, one.log_values, {}});
  std::vector<LearnedSpread> learned;
  for (const auto& [name, all] : cases) {
    const Spreads spreads = spreads_of(all, device_uuid);
    if (!spreads.session && !spreads.of_devices) continue;
    learned.push_back({name.first, name.second, learned_sd(spreads.session, Policy{}.session_sd),
                       learned_sd(spreads.of_devices, Policy{}.device_sd), spreads.sessions, spreads.devices,
                       spreads.process.sd, spreads.process.degrees_of_freedom});
  }
  return learned;
}

std::optional<LearnedSpread> learn_from_history(const std::string& case_id, const std::string& metric,
                                                const std::vector<std::vector<double>>& log_values,
                                                const std::vector<std::string>& digests) {
  std::vector<std::vector<double>> means;  // of runs of one code, in the order of time
  double squares = 0, freedom = 0, inverses = 0, runs = 0;
  for (const std::vector<std::size_t>& code : runs_by_code(log_values, digests)) {
    std::vector<double>& series = means.emplace_back();
    for (const std::size_t run : code) {
      const stats::Moments moments = stats::moments(log_values[run]);
      series.push_back(moments.mean);
      const double count = static_cast<double>(moments.count);
      squares += moments.variance * (count - 1);
      freedom += count - 1;
      inverses += 1 / count;
      ++runs;
    }
  }
  if (runs < fewest_runs_of_history) return std::nullopt;
  const auto noise = stats::local_noise(means);
  if (!noise) return std::nullopt;
  const double within = freedom > 0 ? squares / freedom : 0;
  const double between = std::max(0.0, noise->variance - within * inverses / runs);
  const Spread session{std::sqrt(between), noise->degrees_of_freedom, {}};
  return LearnedSpread{case_id,
                       metric,
                       learned_sd(session, Policy{}.session_sd),
                       Policy{}.device_sd,
                       static_cast<int>(runs),
                       1,
                       std::sqrt(within),
                       freedom,
                       LearnedFrom::history};
}

double freedom_of_history(int runs) {
  return (runs - 2) / 4.0 + usual_weight;
}

}  // namespace harness
