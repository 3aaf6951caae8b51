#include "harness/verdict/read/short_calls.h"

#include "harness/model/device_kinds.h"

namespace harness {

std::optional<Diagnostic> short_call_diagnostic(const Series& series, const Sampling& sampling, double center,
                                                double step) {
  if (sampling.timing == TimingMode::batch) return {};
  if (series.metric != cuda_kind.time_metric || series.unit != "us" || !(center > 0)) return {};
  const double ticks = center / event_tick_us;
  if (ticks < tick_bound_ticks)
    return Diagnostic{DiagnosticCode::tick_bound,
                      {{"us", center}, {"ticks", ticks}, {"tick_us", event_tick_us}}};
  if (center >= event_bound_us) return {};
  Diagnostic found{DiagnosticCode::launch_bound, {{"us", center}}};
  if (step >= event_tick_us * 0.99) found.figures.emplace_back("step_us", step);
  return found;
}

}  // namespace harness
