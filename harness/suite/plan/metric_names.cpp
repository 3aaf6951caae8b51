#include "harness/suite/plan/metric_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/base/text.h"
#include "harness/model/counter.h"
#include "harness/model/known_metrics.h"
#include "harness/model/program_metrics.h"

namespace harness {
namespace {

using Names = std::set<std::string, std::less<>>;

Names names_of_all() {
  Names names;
  for (const BuiltInMetric& metric : built_in_metrics) names.emplace(metric.name);
  return names;
}

// The metrics that the workload declares, and the hardware counters of the group. False where the workload is
// unknown, which is an error of its own.
bool add_declared(const CaseGroup& group, const Catalog& catalog, Names& names) {
  const sdk::Workload* workload = catalog.workload(group.workload.value);
  if (workload == nullptr) return false;
  for (const sdk::MetricSpec& metric : workload->metrics()) names.insert(metric.name);
  for (const At<std::string>& metric : group.metrics)
    if (is_counter_name(metric.value)) names.insert(metric.value);
  return true;
}

void check(const Overrides& overrides, const Names& known, std::string_view whose, ErrorList& errors) {
  for (const Written<MetricGate>& one : overrides.metric_gates) {
    const std::string& metric = one.values().metric;
    const Location& where = *one.place_of(&MetricGate::metric);
    const bool is_time = is_time_of_device(metric);
    if (is_time || known.contains(metric)) continue;
    errors.add(where, fmt::format("`gate`: unknown metric {} of {}", in_ticks(metric), whose),
               suggestion(metric, std::vector<std::string>(known.begin(), known.end())));
  }
}

}  // namespace

bool check_metrics(const CaseGroup& group, const sdk::Workload& workload, ErrorList& errors) {
  std::vector<std::string> known;
  for (const BuiltInMetric& metric : built_in_metrics) known.emplace_back(metric.name);
  for (const sdk::MetricSpec& metric : workload.metrics()) known.push_back(metric.name);
  bool good = true;
  for (const auto& [name, where] : group.metrics) {
    if (std::find(known.begin(), known.end(), name) != known.end() || is_counter_name(name)) continue;
    std::string advice = suggestion(name, known);
    if (is_time_of_device(name))
      advice = "write `time`: records name it after what the device measures";
    else if (name.find("__") != std::string::npos)
      advice =
          fmt::format("a hardware counter ends in how it is summed up: write {}", in_ticks(name + ".sum"));
    errors.add(
        where,
        fmt::format("unknown metric {} of workload {}", in_ticks(name), in_ticks(group.workload.value)),
        std::move(advice));
    good = false;
  }
  return good;
}

void check_gate_metrics(const Suite& suite, const Catalog& catalog, ErrorList& errors) {
  Names all = names_of_all();
  bool complete = true;
  for (const CaseGroup& group : suite.groups) {
    complete = add_declared(group, catalog, all) && complete;
    Names known = names_of_all();
    if (!add_declared(group, catalog, known)) continue;
    const std::string whose = "workload " + in_ticks(group.workload.value);
    check(group.overrides, known, whose, errors);
    for (const PointOverride& one : group.point_overrides) check(one.overrides, known, whose, errors);
  }
  for (const ProgramCase& program : suite.programs) {
    // Nobody knows what a program's output names before it has run.
    const bool known = program.reads.empty() || program.reads == trace_format;
    complete = complete && known;
    const std::vector<std::string> own = metrics_of_program(program.reads);
    all.insert(own.begin(), own.end());
    if (known)
      check(program.overrides, Names(own.begin(), own.end()), "program " + in_ticks(program.name.value),
            errors);
  }
  if (complete) check(suite.defaults, all, "the suite's workloads", errors);
}

}  // namespace harness
