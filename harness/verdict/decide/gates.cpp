#include "harness/verdict/decide/gates.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"

namespace harness {

bool names_metric(std::string_view name, std::string_view metric) {
  return name == metric || (name == "time" && is_time_of_device(metric));
}

double margin_at(const RowGate& gate, double value) {
  if (gate.unit.empty()) return gate.margin;
  return value > 0 ? gate.margin / value : 0;
}

RowGate gate_of(const Gate& gate, std::string_view metric, const Policy& policy, bool informs) {
  RowGate found{gate.margin, gate.alpha, informs || informs_by_default(metric), gate.throttled};
  for (const MetricGate& one : gate.metrics) {
    if (!names_metric(one.metric, metric)) continue;
    if (one.margin) found.unit = one.unit;
    found.margin = one.margin.value_or(found.margin);
    found.alpha = one.alpha.value_or(found.alpha);
    found.informative = one.informative;
    break;
  }
  if (policy.margin) found.unit.clear();
  found.margin = policy.margin.value_or(found.margin);
  found.alpha = policy.alpha.value_or(found.alpha);
  return found;
}

DecidingGate deciding_gate(const Gate* before, const Gate& after, std::string_view metric,
                           const Policy& policy, bool informs) {
  const RowGate own = gate_of(after, metric, policy, informs);
  if (before == nullptr || policy.accept_proposed) return {own};
  const RowGate old = gate_of(*before, metric, policy, informs);
  // Margins of different units do not compare: the baseline's decides.
  const double margin = old.unit == own.unit ? std::min(old.margin, own.margin) : old.margin;
  const RowGate strict{margin, std::max(old.alpha, own.alpha), old.informative && own.informative,
                       std::min(old.throttled, own.throttled), old.unit};
  if (strict == own) return {own};
  return {strict, own};
}

namespace {

template <class Predicate>
bool any_own_gate(const Gate& before, const Gate& after, std::string_view metric, Predicate predicate) {
  for (const Gate* gate : {&before, &after})
    for (const MetricGate& one : gate->metrics)
      if (predicate(one) && names_metric(one.metric, metric)) return true;
  return false;
}

}  // namespace

bool has_own_gate(const Gate& before, const Gate& after, std::string_view metric) {
  return any_own_gate(before, after, metric, [](const MetricGate& one) { return !one.informative; });
}

bool names_gate_of(const Gate& before, const Gate& after, std::string_view metric) {
  return any_own_gate(before, after, metric, [](const MetricGate&) { return true; });
}

namespace {

bool has_metric(const CaseRecord& one, const MetricGate& gate) {
  return std::any_of(one.series.begin(), one.series.end(),
                     [&](const Series& series) { return names_metric(gate.metric, series.metric); });
}

// A look tells few metrics.
bool tells_all(const CaseRecord& one) {
  return !one.series.empty() && one.outcome != Outcome::looked_at;
}

// The metrics that the case asks for without a value, and that would decide by the case's own gate.
std::set<std::string> decided_without_values(const CaseRecord& one) {
  std::set<std::string> found;
  for (const ProcessResult& result : one.processes)
    for (const Note& note : result.notes) {
      const std::string metric = note.text("metric");
      if (metric.empty() || find_built_in(metric) == nullptr || informs_by_default(metric)) continue;
      const MetricGate gate{metric, {}, {}, false};
      const bool named = std::any_of(one.gate.metrics.begin(), one.gate.metrics.end(),
                                     [&](const MetricGate& own) { return names_metric(own.metric, metric); });
      if (!named && !has_metric(one, gate)) found.insert(metric);
    }
  return found;
}

// A gate that decides and finds nothing to decide about must not pass in silence.
void add_gates_without_values(const Record& current, const std::set<std::string>& used,
                              std::vector<Remark>& remarks) {
  std::map<std::string, std::size_t> cases;
  for (const CaseRecord& one : current.cases) {
    if (!tells_all(one)) continue;
    for (const std::string& metric : decided_without_values(one)) ++cases[metric];
    for (const MetricGate& gate : one.gate.metrics)
      if (!gate.informative && used.contains(gate.metric) && find_built_in(gate.metric) != nullptr &&
          !has_metric(one, gate))
        ++cases[gate.metric];
  }
  for (const auto& [metric, count] : cases)
    remarks.push_back({RemarkCode::gate_without_values, {{"metric", metric}, {"cases", count}}});
}

}  // namespace

std::vector<Remark> remarks_on_gates(const Record& current) {
  std::map<std::string, std::set<std::string>> idle;  // by gate: the metrics of the cases that have it
  std::set<std::string> used;
  for (const CaseRecord& one : current.cases) {
    if (!tells_all(one)) continue;
    for (const MetricGate& gate : one.gate.metrics) {
      if (has_metric(one, gate)) used.insert(gate.metric);
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
  add_gates_without_values(current, used, remarks);
  return remarks;
}

}  // namespace harness
