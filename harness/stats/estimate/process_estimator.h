// ProcessEstimator: the value of each process of a series, as process_log_value defines it, fast enough
// for records of millions of samples. Placements are sorted four at a time (lanes.h). Keeps its memory
// between series, so one instance belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/estimate/lanes.h"

namespace harness::stats {

struct OutlierCount {
  std::size_t mild = 0;  // beyond 1.5 IQR but not beyond 3
  std::size_t far = 0;   // beyond 3 IQR
};

// The value of one process's samples.
struct ProcessEstimate {
  double log_value = 0;  // NaN without samples or with a sample that is not positive and finite
  std::size_t samples = 0;
  OutlierCount outliers;  // each counted by the fences of its own placement
};

class ProcessEstimator {
 public:
  // Starts a series of `processes` processes and forgets the one before.
  void begin(std::size_t processes);
  // Adds one placement of a process, numbered from 0. `samples` is not kept.
  void add_placement(std::size_t process, std::span<const double> samples);
  // The estimates of all processes; valid until the next begin().
  std::span<const ProcessEstimate> finish();

 private:
  void flush();
  void add_sorted(std::size_t process, std::span<const double> sorted);

  std::vector<ProcessEstimate> estimates_;  // log_value holds the sum over placements until finish()
  std::vector<std::size_t> placements_;     // with samples, of each process
  Lanes lanes_;
  std::array<std::size_t, Lanes::most> waiting_ = {};  // whose placement each lane is
  std::vector<double> sorted_;
};

}  // namespace harness::stats
