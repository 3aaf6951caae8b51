#include "harness/verdict/decide/gates.h"

#include "harness/model/device_kinds.h"

namespace harness {

bool names_metric(std::string_view name, std::string_view metric) {
  return name == metric || (name == "time" && is_time_of_device(metric));
}

RowGate gate_of(const Gate& gate, std::string_view metric, const Policy& policy) {
  RowGate found{gate.margin, gate.alpha, false};
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

}  // namespace harness
