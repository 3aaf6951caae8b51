#include "harness/suite/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/units.h"

namespace harness {
namespace {

template <class T>
void set(T& value, const std::optional<T>& override_value) {
  if (override_value) value = *override_value;
}

// What a stronger place does not name about a metric stays as a weaker one said.
void set(std::vector<MetricGate>& gates, const MetricGateOverride& one) {
  const auto same = [&](const MetricGate& gate) { return gate.metric == one.metric; };
  auto found = std::find_if(gates.begin(), gates.end(), same);
  if (found == gates.end()) found = gates.insert(gates.end(), MetricGate{one.metric, {}, {}, false});
  if (one.margin) found->margin = one.margin;
  if (one.alpha) found->alpha = one.alpha;
  set(found->informative, one.informative);
}

}  // namespace

std::string contradiction(const Sampling& sampling) {
  if (sampling.width > 0 && sampling.samples < sampling.width_samples)
    return fmt::format("`samples` comes to a `max` of {} below a `min` of {}", sampling.samples,
                       sampling.width_samples);
  if (sampling.preheat_most < sampling.preheat)
    return fmt::format("`preheat` comes to a `max` of {} below a `min` of {}",
                       format_seconds(sampling.preheat_most), format_seconds(sampling.preheat));
  return {};
}

void apply(const Overrides& overrides, Settings& settings) {
  Sampling& sampling = settings.sampling;
  set(sampling.processes, overrides.processes);
  set(sampling.placements, overrides.placements);
  set(sampling.samples, overrides.samples);
  set(sampling.min_samples, overrides.min_samples);
  set(sampling.warmup, overrides.warmup);
  set(sampling.cache, overrides.cache);
  set(sampling.width, overrides.width);
  set(sampling.width_samples, overrides.width_samples);
  set(sampling.timing, overrides.timing);
  set(sampling.batch_nodes, overrides.batch_nodes);
  set(sampling.preheat, overrides.preheat);
  set(sampling.preheat_most, overrides.preheat_most);
  set(sampling.steady, overrides.steady);
  set(sampling.max_time, overrides.max_time);
  set(sampling.timeout, overrides.timeout);
  set(sampling.gate_deadline, overrides.gate_deadline);
  set(sampling.seed, overrides.seed);
  set(settings.gate.margin, overrides.margin);
  set(settings.gate.alpha, overrides.alpha);
  set(settings.gate.throttled, overrides.throttled);
  set(settings.gate.looks, overrides.looks);
  for (const MetricGateOverride& one : overrides.metric_gates) set(settings.gate.metrics, one);
}

void apply_modes(const std::vector<sdk::ParamSpec>& modes, const sdk::Params& params, Sampling& sampling) {
  for (const sdk::ParamSpec& mode : modes) {
    const sdk::Value* value = params.find(mode.name);
    if (value == nullptr) continue;
    const std::string name = sdk::to_string(*value);
    sampling.cache = parse_name<CacheMode>(name).value_or(sampling.cache);
    sampling.timing = parse_name<TimingMode>(name).value_or(sampling.timing);
  }
}

bool is_batched(const PlannedCase& planned) {
  return planned.sampling.timing == TimingMode::batch;
}

void check_batches(const Overrides& overrides, ErrorList& errors, std::ptrdiff_t batched) {
  if (overrides.batch_nodes && batched == 0)
    errors.add(overrides.batch_nodes_where, "`batch_nodes`, but no case that it is for is timed in batches",
               "add `timing: batch`, or remove it");
}

}  // namespace harness
