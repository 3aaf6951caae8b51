#include "harness/verdict/decide/spreads.h"

#include <utility>

#include "harness/stats/spread/components.h"

namespace harness {
namespace {

// The values of each session, in the order in which the sessions appear.
std::vector<std::vector<double>> by_session(const SideReading& reading) {
  std::map<int, std::vector<double>> sessions;
  for (std::size_t i = 0; i < reading.sessions.size(); ++i)
    if (reading.sessions[i] > 0) sessions[reading.sessions[i]].push_back(reading.log_values[i]);
  std::vector<std::vector<double>> values;
  for (auto& [number, of_session] : sessions) values.push_back(std::move(of_session));
  return values;
}

}  // namespace

std::string kind_of(const std::string& device, const std::string& metric, const std::string& unit,
                    bool ratios) {
  return device + '\n' + metric + '\n' + unit + (ratios ? "\nratios" : "");
}

CaseSpread spread_between_processes(const std::string& kind, const SideReading& reading) {
  const stats::Estimate estimate = estimate_of(reading, 0);
  return {kind, {estimate.mean, estimate.variance, estimate.degrees_of_freedom}};
}

UsualSpreads::UsualSpreads(std::span<const CaseSpread> spreads) {
  std::map<std::string, std::vector<stats::GroupVariance>> kinds;
  for (const CaseSpread& one : spreads) kinds[one.kind].push_back(one.group);
  for (const auto& [kind, groups] : kinds)
    if (const auto trend = stats::fit_variances(groups)) trends_.emplace(kind, *trend);
}

std::optional<stats::VariancePrior> UsualSpreads::at(const std::string& kind, double level) const {
  const auto found = trends_.find(kind);
  if (found == trends_.end()) return std::nullopt;
  return found->second.at(level);
}

double session_variance_of(const SideReading& reading, double usual) {
  const std::vector<std::vector<std::vector<double>>> device{by_session(reading)};
  if (device.front().size() < 2) return usual;
  const auto components = stats::variance_components(device, 0.95);
  if (!components || !components->between) return usual;
  return stats::moderated_variance(components->between->variance, components->between->degrees_of_freedom,
                                   usual, usual_sessions);
}

stats::Estimate estimate_of_sessions(const SideReading& reading, double session_variance) {
  const std::vector<std::vector<double>> sessions = by_session(reading);
  if (sessions.size() < 2) return stats::estimate_of(reading.moments, session_variance);
  std::vector<double> means;
  means.reserve(sessions.size());
  for (const std::vector<double>& values : sessions) means.push_back(stats::moments(values).mean);
  return stats::estimate_of(stats::moments(means));
}

stats::Estimate estimate_of(const SideReading& reading, double session_variance) {
  stats::Estimate estimate = stats::estimate_of(reading.moments, session_variance);
  const std::vector<std::vector<double>> sessions = by_session(reading);
  if (sessions.size() < 2) return estimate;
  double squares = 0, shares = 0;
  for (const std::vector<double>& values : sessions) {
    const double share = static_cast<double>(values.size()) / estimate.count;
    shares += share * share;
    if (values.size() > 1)
      squares += stats::moments(values).variance * static_cast<double>(values.size() - 1);
  }
  estimate.known = session_variance * shares;
  const double freedom = estimate.count - static_cast<double>(sessions.size());
  if (freedom < 1) return estimate;  // one process a session: their spread holds both
  estimate.variance = squares / freedom;
  estimate.degrees_of_freedom = freedom;
  return estimate;
}

}  // namespace harness
