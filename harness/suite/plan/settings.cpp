#include "harness/suite/plan/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/units.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/suite/plan/expand.h"
#include "harness/suite/plan/inputs_setting.h"

namespace harness {
namespace {

// Parts of a metric's gate that a stronger place does not name stay as a weaker place set them.
void apply(const Written<MetricGate>& one, std::vector<MetricGate>& gates) {
  const std::string& metric = one.values().metric;
  auto found =
      std::find_if(gates.begin(), gates.end(), [&](const MetricGate& gate) { return gate.metric == metric; });
  if (found == gates.end()) found = gates.insert(gates.end(), MetricGate{metric, {}, {}, false});
  one.apply_to(*found);
}

// Bounds from several places that no place names together: the lower above the upper. "" when all agree.
std::string contradiction(const Sampling& sampling) {
  if (sampling.width > 0 && sampling.samples < sampling.width_samples)
    return fmt::format("`samples` comes to a `max` of {} below a `min` of {}", sampling.samples,
                       sampling.width_samples);
  if (sampling.preheat_most < sampling.preheat)
    return fmt::format("`preheat` comes to a `max` of {} below a `min` of {}",
                       format_seconds(sampling.preheat_most), format_seconds(sampling.preheat));
  return {};
}

void apply(const Overrides& overrides, PlannedCase& planned) {
  overrides.sampling.apply_to(planned.sampling);
  apply_gate(overrides, planned.gate);
}

// Sets what an axis says of cache, timing and inputs.
void apply_modes(const Target& target, PlannedCase& planned) {
  for (const sdk::ParamSpec& mode : target.modes) {
    const sdk::Value* value = planned.params.find(mode.name);
    if (value == nullptr) continue;
    const std::string name = sdk::to_string(*value);
    Sampling& sampling = planned.sampling;
    sampling.cache = parse_name<CacheMode>(name).value_or(sampling.cache);
    sampling.timing = parse_name<TimingMode>(name).value_or(sampling.timing);
    if (parse_name<InputsMode>(name)) sampling.inputs = name;
  }
}

// A device that never idles settles below its boost clock, which takes longer than to wake it.
void preheat_sustained(PlannedCase& planned) {
  Sampling& sampling = planned.sampling;
  if (sampling.power == PowerMode::sustained && sampling.preheat == Sampling{}.preheat)
    sampling.preheat = sustained_preheat;
}

// A built-in metric with a gate that decides is measured, whether or not `metrics` names it.
void measure_what_is_gated(PlannedCase& planned) {
  for (const MetricGate& gate : planned.gate.metrics)
    if (!gate.informative && find_built_in(gate.metric) != nullptr &&
        std::find(planned.metrics.begin(), planned.metrics.end(), gate.metric) == planned.metrics.end())
      planned.metrics.push_back(gate.metric);
}

// The case with what follows from its settings.
PlannedCase finished(PlannedCase planned, const Target& target) {
  planned.sampling.min_samples = std::min(planned.sampling.min_samples, planned.sampling.samples);
  apply_modes(target, planned);
  preheat_sustained(planned);
  if (!is_gpu_kind(planned.device)) planned.sampling.full_power = 0;
  measure_what_is_gated(planned);
  return planned;
}

bool is_batched(const PlannedCase& planned) {
  return planned.sampling.timing != TimingMode::events;
}

void check_batches(const Overrides& overrides, bool any_batched, ErrorList& errors) {
  const Location* place = overrides.sampling.place_of(&Sampling::batch_nodes);
  if (place != nullptr && !any_batched)
    errors.add(*place, "`batch_nodes`, but no case that it is for is timed in batches",
               "add `timing: batch`, or remove it");
}

// One of the group's `overrides`, and the cases that it is for.
struct Selective {
  Point match;
  const PointOverride* written = nullptr;
  std::size_t hits = 0;
  bool any_batched = false;
};

std::vector<Selective> checked_overrides(const CaseGroup& group, const Target& target, ErrorList& errors) {
  std::vector<Selective> good;
  for (const PointOverride& entry : group.point_overrides) {
    Selective one{entry.match, &entry};
    if (check_selector(target, one.match, errors)) good.push_back(std::move(one));
  }
  return good;
}

// A plan has the cases with tuned values or the values that are tried, never both.
bool names_tuned(const Point& match, const CaseGroup& group) {
  const auto is_tuned = [&](const Points& points) {
    return std::any_of(points.tune.begin(), points.tune.end(), [&](const Axis& axis) {
      return std::any_of(match.begin(), match.end(),
                         [&](const Setting& setting) { return setting.name.value == axis.name.value; });
    });
  };
  return is_tuned(group.points) || std::any_of(group.per_device.begin(), group.per_device.end(),
                                               [&](const auto& own) { return is_tuned(own.second); });
}

}  // namespace

void apply_gate(const Overrides& overrides, Gate& gate) {
  overrides.gate.apply_to(gate);
  for (const Written<MetricGate>& one : overrides.metric_gates) apply(one, gate.metrics);
}

void check_batches(const Overrides& overrides, std::span<const PlannedCase> cases, ErrorList& errors) {
  check_batches(overrides, std::any_of(cases.begin(), cases.end(), is_batched), errors);
}

void settle(const Overrides& defaults, const CaseGroup& group, const Target& target,
            const Overrides& command_line, std::span<PlannedCase> cases, ErrorList& errors) {
  std::vector<Selective> overrides = checked_overrides(group, target, errors);
  StatedFiles stated(errors);
  std::string contradicted;
  for (PlannedCase& planned : cases) {
    Location inputs = group.where;
    const auto lay = [&](const Overrides& one) {
      apply(one, planned);
      if (const Location* place = one.sampling.place_of(&Sampling::inputs)) inputs = *place;
    };
    lay(defaults);
    lay(group.overrides);
    std::vector<Selective*> used;
    for (Selective& one : overrides)
      if (selects(one.match, planned.params, planned.variant, planned.device)) {
        lay(one.written->overrides);
        used.push_back(&one);
      }
    Sampling asked = finished(planned, target).sampling;
    apply(command_line, planned);
    planned = finished(std::move(planned), target);
    stated.settle(asked, planned, target, inputs);
    planned.sampling.inputs_hash = asked.inputs_hash;  // the command line states no inputs
    if (planned.sampling != asked) planned.suite_sampling = asked;
    for (Selective* one : used) {
      ++one->hits;
      one->any_batched |= is_batched(planned);
    }
    if (contradicted.empty()) contradicted = contradiction(planned.sampling);
  }
  if (!contradicted.empty())
    errors.add(group.where, contradicted + ", with what `defaults`, the built-in defaults or `overrides` say",
               "give both `min` and `max`");
  check_batches(group.overrides, cases, errors);
  for (const Selective& one : overrides)
    if (one.hits == 0 && names_tuned(one.match, group))
      continue;
    else if (one.hits == 0)
      errors.add(one.written->where, "this override matches no case",
                 "no case has these values; correct `match` or remove the override");
    else
      check_batches(one.written->overrides, one.any_batched, errors);
}

void check_full_power(std::span<const PlannedCase> cases, ErrorList& errors) {
  const PlannedCase* first = nullptr;
  for (const PlannedCase& one : cases) {
    if (!is_gpu_kind(one.device)) continue;
    if (first == nullptr) first = &one;
    if (one.sampling.full_power == first->sampling.full_power) continue;
    errors.add(
        one.where,
        fmt::format("`full_power` is {} here, and {} for `{}`: a process works so once, before all cases",
                    format_seconds(one.sampling.full_power), format_seconds(first->sampling.full_power),
                    printable(first->id)),
        "give it in `defaults`, and nowhere else");
    return;
  }
}

}  // namespace harness
