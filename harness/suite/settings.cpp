#include "harness/suite/settings.h"

namespace harness {
namespace {

template <class T>
void set(T& value, const std::optional<T>& override_value) {
  if (override_value) value = *override_value;
}

}  // namespace

void apply(const Overrides& overrides, Settings& settings) {
  Sampling& sampling = settings.sampling;
  set(sampling.processes, overrides.processes);
  set(sampling.placements, overrides.placements);
  set(sampling.samples, overrides.samples);
  set(sampling.min_samples, overrides.min_samples);
  set(sampling.warmup, overrides.warmup);
  set(sampling.cache, overrides.cache);
  set(sampling.preheat, overrides.preheat);
  set(sampling.max_time, overrides.max_time);
  set(sampling.timeout, overrides.timeout);
  set(sampling.gate_deadline, overrides.gate_deadline);
  set(sampling.seed, overrides.seed);
  set(settings.gate.margin, overrides.margin);
  set(settings.gate.alpha, overrides.alpha);
}

}  // namespace harness
