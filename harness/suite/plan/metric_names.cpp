#include "harness/suite/plan/metric_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/model/counter.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/model/program_metrics.h"

namespace harness {
namespace {

// Units by metric; std::nullopt: not known before the program has run.
using Names = std::map<std::string, std::optional<std::string>, std::less<>>;

Names names_of_all() {
  Names names;
  for (const BuiltInMetric& metric : built_in_metrics) names.emplace(metric.name, metric.unit);
  return names;
}

// How a suite writes a margin in the unit of a metric.
std::string margin_unit_of(const std::string& unit) {
  if (unit == "%") return "points";  // a percentage is a share of the value
  return unit.empty() ? "absolute" : unit;
}

// The metrics that the workload declares, and the hardware counters of the group. False where the workload is
// unknown, which is an error of its own.
bool add_declared(const CaseGroup& group, const Catalog& catalog, Names& names) {
  const sdk::Workload* workload = catalog.workload(group.workload.value);
  if (workload == nullptr) return false;
  for (const sdk::MetricSpec& metric : workload->metrics()) {
    const auto [place, is_new] = names.emplace(metric.name, metric.unit);
    if (!is_new && place->second != metric.unit) place->second.reset();  // workloads differ
  }
  for (const At<std::string>& metric : group.metrics)
    if (is_counter_name(metric.value)) names.emplace(metric.value, std::nullopt);
  return true;
}

std::vector<std::string> listed(const Names& names) {
  std::vector<std::string> list;
  for (const auto& [name, unit] : names) list.push_back(name);
  return list;
}

// A margin in the metric's own unit must name it. Times vary from session to session by shares.
void check_unit(const Written<MetricGate>& gate, const std::optional<std::string>& unit, ErrorList& errors) {
  const MetricGate& read = gate.values();
  if (read.unit.empty() || !unit) return;
  const Location& where = *gate.place_of(&MetricGate::unit);
  const std::string own = margin_unit_of(*unit);
  if (seconds_per_unit(*unit) > 0)
    errors.add(where,
               fmt::format("`margin`: {} is a time, whose margin is a percentage", in_ticks(read.metric)),
               "write a percentage, such as `1%`");
  else if (read.unit != own)
    errors.add(where,
               fmt::format("`margin`: {} is not the unit of {}", in_ticks(read.unit), in_ticks(read.metric)),
               fmt::format("write {}, or a percentage", in_ticks(fmt::format("{:g} {}", *read.margin, own))));
}

void check(const Overrides& overrides, const Names& known, std::string_view whose, ErrorList& errors) {
  for (const Written<MetricGate>& one : overrides.metric_gates) {
    const std::string& metric = one.values().metric;
    const Location& where = *one.place_of(&MetricGate::metric);
    const auto found = known.find(metric);
    if (found != known.end()) check_unit(one, found->second, errors);
    if (is_time_of_device(metric)) check_unit(one, std::string(time_metric.unit), errors);
    if (is_time_of_device(metric) || found != known.end()) continue;
    errors.add(where, fmt::format("`gate`: unknown metric {} of {}", in_ticks(metric), whose),
               suggestion(metric, listed(known)));
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
    Names units;
    for (const std::string& name : own)
      units.emplace(name, std::string(name == program_memory ? peak_memory_metric.unit : time_metric.unit));
    all.insert(units.begin(), units.end());
    if (known) check(program.overrides, units, "program " + in_ticks(program.name.value), errors);
  }
  if (complete) check(suite.defaults, all, "the suite's workloads", errors);
}

void check_gpu_metrics(const Suite& suite, std::span<const PlannedCase> cases, ErrorList& errors) {
  const auto check_one = [&](const std::string& metric, const Location& where) {
    if (is_of_gpus(metric))
      errors.add(where, fmt::format("{} is not measured on a CPU", in_ticks(metric)),
                 "name variants that run on a GPU, or leave it out");
  };
  for (const CaseGroup& group : suite.groups) {
    const auto is_of_group = [&](const PlannedCase& one) { return one.where == group.where; };
    if (std::none_of(cases.begin(), cases.end(), is_of_group) ||
        std::any_of(cases.begin(), cases.end(),
                    [&](const PlannedCase& one) { return is_of_group(one) && is_gpu_kind(one.device); }))
      continue;
    for (const auto& [metric, where] : group.metrics) check_one(metric, where);
    for (const Written<MetricGate>& one : group.overrides.metric_gates)
      if (!one.values().informative) check_one(one.values().metric, *one.place_of(&MetricGate::metric));
  }
}

}  // namespace harness
