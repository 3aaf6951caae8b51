#include "harness/suite/plan/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/model/counter.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

std::vector<std::string> counters_of(const std::vector<At<std::string>>& metrics) {
  std::vector<std::string> names;
  for (const At<std::string>& metric : metrics)
    if (is_counter_name(metric.value) && std::find(names.begin(), names.end(), metric.value) == names.end())
      names.push_back(metric.value);
  return names;
}

void report_unknown(const CaseGroup& group, const CounterPlan& found, ErrorList& errors) {
  for (const UnknownCounter& unknown : found.unknown)
    for (const At<std::string>& metric : group.metrics)
      if (metric.value == unknown.name)
        errors.add(metric.where,
                   fmt::format("unknown hardware counter {} of {}", in_ticks(unknown.name),
                               found.outcome.text("chip")),
                   unknown.nearest.empty() ? "`ncu --query-metrics` lists the counters of a chip"
                                           : fmt::format("did you mean {}?", in_ticks(unknown.nearest)));
}

// The suite's own word on a counter is kept.
void make_informative(const std::vector<std::string>& counters, Gate& gate) {
  for (const std::string& name : counters)
    if (std::none_of(gate.metrics.begin(), gate.metrics.end(),
                     [&](const MetricGate& one) { return one.metric == name; }))
      gate.metrics.push_back({name, std::nullopt, std::nullopt, true});
}

class CounterPlanner {
 public:
  explicit CounterPlanner(const PlanOptions& options) : options_(options) {}

  const CounterPlan& plan_for(const std::vector<std::string>& names) {
    const auto known = plans_.find(names);
    if (known != plans_.end()) return known->second;
    CounterPlan plan;
    if (options_.plan_counters)
      plan = options_.plan_counters(names);
    else
      plan.outcome.code = CounterCode::not_asked;
    return plans_.emplace(names, std::move(plan)).first->second;
  }

 private:
  const PlanOptions& options_;
  std::map<std::vector<std::string>, CounterPlan> plans_;  // looking up takes a tenth of a second
};

}  // namespace

void plan_counters(const Suite& suite, const PlanOptions& options, Plan& plan, ErrorList& errors) {
  CounterPlanner planner(options);
  for (const CaseGroup& group : suite.groups) {
    const std::vector<std::string> names = counters_of(group.metrics);
    if (names.empty()) continue;
    std::vector<PlannedCase*> cases;
    for (PlannedCase& planned : plan.cases)
      if (planned.where == group.where) cases.push_back(&planned);
    for (PlannedCase* planned : cases) make_informative(names, planned->gate);
    if (std::none_of(cases.begin(), cases.end(),
                     [](const PlannedCase* one) { return is_gpu_kind(one->device); }))
      continue;
    const CounterPlan& found = planner.plan_for(names);
    plan.counters = found.outcome;
    report_unknown(group, found, errors);
    for (PlannedCase* planned : cases)
      if (is_gpu_kind(planned->device)) planned->counter_passes = found.passes;
  }
}

}  // namespace harness
