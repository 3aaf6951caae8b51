// ClockReason: why a device held its clock down. Records keep the names (Conditions::throttled).
#pragma once

#include "harness/schema/enum_names.h"

namespace harness {

enum class ClockReason {
  clock_setting,  // somebody set a clock
  power_cap,
  hardware_slowdown,  // temperature or power
  sync_boost,         // follows another GPU
  thermal,
  hardware_thermal,
  power_brake,  // of the server
  display,
};
template <>
inline constexpr auto enum_names<ClockReason> =
    names<ClockReason>({{ClockReason::clock_setting, "clock_setting"},
                        {ClockReason::power_cap, "power_cap"},
                        {ClockReason::hardware_slowdown, "hardware_slowdown"},
                        {ClockReason::sync_boost, "sync_boost"},
                        {ClockReason::thermal, "thermal"},
                        {ClockReason::hardware_thermal, "hardware_thermal"},
                        {ClockReason::power_brake, "power_brake"},
                        {ClockReason::display, "display"}});

}  // namespace harness
