#include "harness/verdict/read/short_calls.h"

#include <fmt/format.h>

#include "harness/model/device_kinds.h"

namespace harness {

std::string short_call_advice(const Series& series, const Sampling& sampling, double center, double step) {
  if (sampling.timing == TimingMode::batch) return {};
  if (series.metric != cuda_kind.time_metric || series.unit != "us" || !(center > 0)) return {};
  const char* advice =
      "time it as a batch in a CUDA graph (`timing: batch` in the suite), or make the case longer";
  const double ticks = center / event_tick_us;
  if (ticks < tick_bound_ticks)
    return fmt::format(
        "tick-bound: a call of {:.3g} us is only {:.0f} ticks of the events' clock ({:g} ns): {}", center,
        ticks, event_tick_us * 1000, advice);
  if (center < event_bound_us)
    return fmt::format(
        "launch-bound: a call of {:.3g} us between two events is mostly what they and the launch cost{}: {}",
        center, step >= event_tick_us * 0.99 ? fmt::format(", and comes in steps of {:.3g} us", step) : "",
        advice);
  return {};
}

}  // namespace harness
