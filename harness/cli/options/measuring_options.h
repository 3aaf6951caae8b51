// How a command that measures waits, and what it says meanwhile.
#pragma once

#include <optional>

#include "harness/base/units.h"

namespace CLI {
class App;
}

namespace harness {

struct MeasuringOptions {
  bool quiet = false;             // no progress line
  std::optional<Seconds> wait{};  // longest wait for a busy device; not given: as long as it takes

  void add_to(CLI::App& command);  // --quiet, --wait
};

}  // namespace harness
