// How a case is measured, by name: the modes of cache and timing, which a suite may also vary as axes
// (`axes: {cache: [cold, hot]}`). Such an axis is a parameter of the case, at the end of its name and of its
// record's parameters, that the workload itself never sees.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/sdk/params.h"

namespace harness {

enum class CacheMode {
  cold,    // evict the last-level cache before each sample, outside the timed region
  hot,     // leave in the cache what the previous sample left there
  rotate,  // evict nothing, but take another set of inputs for each call, of more than the cache holds
};
std::string_view name_of(CacheMode mode);
std::optional<CacheMode> parse_cache_mode(std::string_view name);

enum class TimingMode {
  events,  // one call between two readings of the device's clock
  batch,   // many calls in one go, of several lengths: the slope over their number is one call
};
std::string_view name_of(TimingMode mode);
std::optional<TimingMode> parse_timing_mode(std::string_view name);

// The modes as axes, for suites: `cache` and `timing`, with their values as choices. A parameter of the
// workload by the same name hides one.
const std::vector<sdk::ParamSpec>& mode_axes();

// The parameters that the workload knows: without those of modes.
sdk::Params workload_params(const sdk::Params& params, std::span<const sdk::ParamSpec> specs);

}  // namespace harness
