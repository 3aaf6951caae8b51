// The modes of cache and timing, by name. A suite may vary them as axes (`axes: {cache: [cold, hot]}`). Such
// an axis comes last in the case's name and parameters. The workload never sees it.
#pragma once

#include <span>
#include <vector>

#include "harness/schema/enum_names.h"
#include "harness/sdk/params.h"

namespace harness {

enum class CacheMode {
  cold,    // evict the last-level cache before each sample, outside the timed region
  hot,     // leave in the cache what the previous sample left there
  rotate,  // evict nothing, but take another set of inputs for each call, of more than the cache holds
};
template <>
inline constexpr auto enum_names<CacheMode> =
    names<CacheMode>({{CacheMode::cold, "cold"}, {CacheMode::hot, "hot"}, {CacheMode::rotate, "rotate"}});

enum class TimingMode {
  events,     // one call between two readings of the device's clock
  batch,      // many calls in one go, of several lengths: the slope over their number is one call
  automatic,  // batches for short calls, events for the rest
};
template <>
inline constexpr auto enum_names<TimingMode> = names<TimingMode>({{TimingMode::events, "events"},
                                                                  {TimingMode::batch, "batch"},
                                                                  {TimingMode::automatic, "auto"}});

enum class PowerMode {
  boost,      // idle between samples, so that each is taken at the boost clock, below the power cap
  sustained,  // never idle: the clock is what the power cap leaves
};
template <>
inline constexpr auto enum_names<PowerMode> = names<PowerMode>({{PowerMode::boost, "boost"},
                                                                {PowerMode::sustained, "sustained"}});

// The values on which calls are timed, unless a file has them. Checks always have the drawn ones.
enum class InputsMode {
  drawn,  // as the workload draws them
  zeros,
  uniform,  // from -1 to 1
  normal,   // around 0, with a standard deviation of 1
};
template <>
inline constexpr auto enum_names<InputsMode> = names<InputsMode>({{InputsMode::drawn, "drawn"},
                                                                  {InputsMode::zeros, "zeros"},
                                                                  {InputsMode::uniform, "uniform"},
                                                                  {InputsMode::normal, "normal"}});

// The modes as axes, for suites: `cache`, `timing` and `inputs`, with their values as choices. A parameter of
// the workload by the same name hides one.
const std::vector<sdk::ParamSpec>& mode_axes();

// The parameters that the workload knows: without those of modes.
sdk::Params workload_params(const sdk::Params& params, std::span<const sdk::ParamSpec> specs);

}  // namespace harness
