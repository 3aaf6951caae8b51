// Measures a suite as one session of its own: by a run of this program, into a scratch store that goes away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

struct SessionArguments {
  std::string suite;
  std::vector<std::string> filters, modules;
  std::string device;       // as for `run`
  int processes = 0;        // 0: the suite's
  std::string clocks = {};  // of --lock-clocks: "" not, "true" at the maximum, else MHz
};

// The complete record; std::nullopt when Ctrl-C ended it (an InterruptGuard must be there).
Result<std::optional<Record>> measure_session(const SessionArguments& arguments);

}  // namespace harness
