#include "harness/verdict/decide/gates.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"

namespace harness {

bool names_metric(std::string_view name, std::string_view metric) {
  return name == metric || (name == "time" && is_time_of_device(metric));
}

RowGate gate_of(const Gate& gate, std::string_view metric, const Policy& policy) {
  RowGate found{gate.margin, gate.alpha, false, gate.throttled};
  for (const MetricGate& one : gate.metrics) {
    if (!names_metric(one.metric, metric)) continue;
    found.margin = one.margin.value_or(found.margin);
    found.alpha = one.alpha.value_or(found.alpha);
    found.informative = one.informative;
    break;
  }
  found.margin = policy.margin.value_or(found.margin);
  found.alpha = policy.alpha.value_or(found.alpha);
  return found;
}

DecidingGate deciding_gate(const Gate* before, const Gate& after, std::string_view metric,
                           const Policy& policy) {
  const RowGate own = gate_of(after, metric, policy);
  if (before == nullptr || policy.accept_proposed) return {own};
  const RowGate old = gate_of(*before, metric, policy);
  const RowGate strict{std::min(old.margin, own.margin), std::max(old.alpha, own.alpha),
                       old.informative && own.informative, std::min(old.throttled, own.throttled)};
  if (strict == own) return {own};
  return {strict, own};
}

bool has_own_gate(const Gate& before, const Gate& after, std::string_view metric) {
  for (const Gate* gate : {&before, &after})
    for (const MetricGate& one : gate->metrics)
      if (!one.informative && names_metric(one.metric, metric)) return true;
  return false;
}

std::vector<Remark> remarks_on_gates(const Record& current) {
  std::map<std::string, std::set<std::string>> idle;  // by gate: the metrics of the cases that have it
  std::set<std::string> used;
  for (const CaseRecord& one : current.cases) {
    if (one.series.empty()) continue;
    for (const MetricGate& gate : one.gate.metrics) {
      const bool found = std::any_of(one.series.begin(), one.series.end(), [&](const Series& series) {
        return names_metric(gate.metric, series.metric);
      });
      if (found) used.insert(gate.metric);
      for (const Series& series : one.series) idle[gate.metric].insert(series.metric);
    }
  }
  std::vector<Remark> remarks;
  for (const auto& [name, metrics] : idle) {
    if (used.contains(name)) continue;
    const std::vector<std::string> known(metrics.begin(), metrics.end());
    Remark remark{RemarkCode::idle_gate, {{"metric", name}, {"known", join(known, ", ")}}};
    if (auto near = nearest(name, known)) remark.figures.emplace_back("near", std::move(*near));
    remarks.push_back(std::move(remark));
  }
  return remarks;
}

}  // namespace harness
