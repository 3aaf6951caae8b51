// Side: what one series of one record comes to before it is compared or summarised: a log value a
// process, its moments, and what the diagnostics need. Every sample is read once. Pure; a reader keeps
// scratch memory between calls and so belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/model/comparison.h"
#include "harness/stats/process_estimator.h"
#include "harness/stats/welch.h"

namespace harness {

struct SideReading {
  std::vector<double> log_values;     // of the processes that have samples, in process order
  std::vector<double> outlier_rates;  // far outliers / samples, of the same processes
  stats::Moments moments;             // of log_values
  std::size_t samples = 0;
  stats::OutlierCount outliers;
  std::size_t forced_gates = 0;
  std::vector<int> empty;  // numbers of the processes without samples
  double clock_ghz = 0;    // mean over the placements that know it, 0 when none does
  std::string unusable;    // "process 3 holds a sample of -1 us", or ""
};

class SideReader {
 public:
  SideReading read(const Series& series);

 private:
  stats::ProcessEstimator estimator_;
};

Side side_of(const SideReading& reading);

}  // namespace harness
