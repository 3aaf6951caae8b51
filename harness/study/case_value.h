// Chooses the cases that a campaign with a budget measures: those that promise most information for their
// time. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/base/units.h"

namespace harness {

// The facts about a case before it is measured.
struct CaseOutlook {
  bool changed = false;        // its code, arguments or parameters; false: nobody can tell
  std::optional<double> sd{};  // of log values between processes; not given: nobody knows its noise
  int processes = 5;           // of a side
  double margin = 0.01;
  double alpha = 0.01;
  double days = 0;   // since it was last measured
  Seconds cost = 1;  // of all its processes
};

// The chance that measuring the case finds a change of twice its margin, in a second of its cost. The chance
// of a change grows with the days since the case was last measured.
double expected_information(const CaseOutlook& outlook);

// The places of the cases that fit into `capacity`, the best first. A case that does not fit is passed over.
std::vector<std::size_t> choose_cases(const std::vector<CaseOutlook>& cases, Seconds capacity);

}  // namespace harness
