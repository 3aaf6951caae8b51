// Measures a suite as one session of its own: by a run of this program, into a scratch store that goes away.
#pragma once

#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/cli/options/clock_option.h"
#include "harness/cli/options/suite_options.h"
#include "harness/model/record.h"

namespace harness {

struct SessionOptions {
  std::string suite;
  FilterOption filter;
  ModuleOption modules;
  DeviceOption device;
  std::optional<int> processes{};  // not given: the suite's
  ClockOption clocks = {};
};

// The complete record; std::nullopt when Ctrl-C ended it (an InterruptGuard must be there).
Result<std::optional<Record>> measure_session(const SessionOptions& options);

}  // namespace harness
