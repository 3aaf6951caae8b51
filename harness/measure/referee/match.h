// A match: one case, played by both builds for the referee. README.md tells the order of its steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/device/sides/sides.h"
#include "harness/measure/referee/ruling.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/plan.h"
#include "harness/model/referee/refereed.h"

namespace harness::referee {

// CLOCK_MONOTONIC, in s.
Seconds monotonic_seconds();

// The matches of a command share these. The referee's process loads the modules of the baseline build alone.
struct Arena {
  std::string device_name;
  Device& device;
  RefereeSide& side;
  const Catalog& catalog;  // of the baseline build
  PairedBuilds builds;
  std::vector<std::string> player_command = {};        // empty: this program's
  std::function<Seconds()> clock = monotonic_seconds;  // of work of the host
};

struct MatchOptions {
  Judging judging;
  Seconds budget = 5;  // of the device
};

// Plays and judges a case. `lost` becomes true where the device cannot be used any more.
RefereedCase referee_case(const Arena& arena, const PlannedCase& planned, const MatchOptions& options,
                          bool& lost);

}  // namespace harness::referee
