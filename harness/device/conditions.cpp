#include "harness/device/conditions.h"

#include <algorithm>

namespace harness {
namespace {

std::optional<double> mean_of(std::optional<double> before, std::optional<double> after) {
  if (before && after) return (*before + *after) / 2;
  return before ? before : after;
}

}  // namespace

Conditions combined(const Conditions& before, const Conditions& after) {
  Conditions both;
  both.sm_clock_mhz = mean_of(before.sm_clock_mhz, after.sm_clock_mhz);
  both.memory_clock_mhz = mean_of(before.memory_clock_mhz, after.memory_clock_mhz);
  both.power_w = mean_of(before.power_w, after.power_w);
  both.temperature_c = mean_of(before.temperature_c, after.temperature_c);
  both.throttled = before.throttled;
  for (const std::string& reason : after.throttled)
    if (std::find(both.throttled.begin(), both.throttled.end(), reason) == both.throttled.end())
      both.throttled.push_back(reason);
  both.other_processes = std::max(before.other_processes, after.other_processes);
  return both;
}

}  // namespace harness
