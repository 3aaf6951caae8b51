// The cases of a campaign as earlier records know them, before it measures them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/base/units.h"
#include "harness/model/plan.h"
#include "harness/store/store.h"

namespace harness {

// A case as an earlier record measured it.
struct KnownCase {
  std::optional<double> sd;     // of log values between processes
  std::optional<Seconds> cost;  // of one process of one build, without what it starts and loads once
  std::string measured;         // UTC
};
// By id.
using KnownCases = std::map<std::string, KnownCase>;

// The cases of the plan that the newest complete records of its suite measured, on whatever machine.
Result<KnownCases> known_cases(Store& store, const Plan& plan);

// Whether the phase of a process belongs to none of its cases.
bool is_phase_of_process(const Phase& phase);

}  // namespace harness
