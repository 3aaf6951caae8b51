#include "harness/suite/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/units.h"

namespace harness {
namespace {

// What a stronger place does not name about a metric stays as a weaker one said.
void apply(const Written<MetricGate>& one, std::vector<MetricGate>& gates) {
  const std::string& metric = one.values().metric;
  auto found =
      std::find_if(gates.begin(), gates.end(), [&](const MetricGate& gate) { return gate.metric == metric; });
  if (found == gates.end()) found = gates.insert(gates.end(), MetricGate{metric, {}, {}, false});
  one.apply_to(*found);
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
  overrides.sampling.apply_to(settings.sampling);
  overrides.gate.apply_to(settings.gate);
  for (const Written<MetricGate>& one : overrides.metric_gates) apply(one, settings.gate.metrics);
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
  const Location* place = overrides.sampling.place_of(&Sampling::batch_nodes);
  if (place != nullptr && batched == 0)
    errors.add(*place, "`batch_nodes`, but no case that it is for is timed in batches",
               "add `timing: batch`, or remove it");
}

}  // namespace harness
