// Side: one series of one record, reduced for comparing and summarising: a log value a process, its moments,
// and the input of the diagnostics. Every sample is read once, or what a pin holds of it. Pure. A reader
// keeps scratch memory, so it belongs to one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/results/comparison.h"
#include "harness/stats/estimate/lanes.h"
#include "harness/stats/estimate/process_estimator.h"
#include "harness/stats/hypothesis/welch.h"

namespace harness {

// The conditions of the device around the placements of a side that hold samples.
struct SideConditions {
  std::size_t placements = 0;                       // with samples
  std::size_t known = 0;                            // of these, with conditions
  std::size_t throttled = 0;                        // placements with a reason for throttling
  std::size_t throttled_samples = 0;                // samples of the throttled placements
  std::size_t shared = 0;                           // placements with other processes on the device
  std::size_t shared_known = 0;                     // placements that tell whether there were any
  int most_others = 0;                              // processes, in one placement
  std::map<std::string, std::size_t> reasons = {};  // placements by reason of throttling
  std::optional<double> temperature_c, power_w, sm_clock_mhz;  // means over the placements that tell
  HostLoad load = {};                                          // likewise
};

// A sample that cannot be judged: negative or not finite, or a time of 0.
struct UnusableSample {
  int process = 0;
  double value = 0;
};

struct SideReading {
  std::vector<double> log_values;     // of the processes that have samples, in process order
  std::vector<double> outlier_rates;  // far outliers / samples, of the same processes
  std::vector<int> sessions;          // of the same processes (ProcessSamples::session)
  std::vector<int> numbers;           // of the same processes (ProcessSamples::process)
  // The share of slow calls and the log of the mean of all calls, of the same processes; for times alone.
  std::vector<double> slow_shares, log_means;
  stats::Moments moments;  // of log_values
  std::size_t samples = 0;
  stats::OutlierCount outliers;
  std::size_t forced_gates = 0;
  std::vector<int> empty;  // numbers of the processes without samples
  double clock_ghz = 0;    // mean over the placements that know it, 0 when none does; the driver's figure
                           // where the device has none of its own
  SideConditions conditions;
  std::vector<double> started;  // of the processes in log_values; Unix time, 0 when unknown
  std::vector<double> slowing;  // of the same processes: log of the last quarter of a placement's samples
                                // over the first, mean over placements; only where there are enough samples
  double step = 0;              // least distance of distinct samples, where these are few
  std::optional<double> constant;          // the value of every sample, where all are the same
  std::size_t with_samples = 0;            // processes
  std::optional<UnusableSample> unusable;  // the first
  bool zeros = false;                      // some sample has no logarithm: 0, or unusable
};

// Share of a side's samples whose launch gate opened on its deadline: launch latency is in those.
double forced_share(const SideReading& reading);
// Above this share the trimmed mean no longer excludes forced samples, so there is no verdict.
inline constexpr double tolerable_forced_share = 0.1;

class SideReader {
 public:
  // `slowing`, and the `step` of what is no time, which only diagnostics need, stay empty unless `for_words`.
  explicit SideReader(bool for_words = true) : for_words_(for_words) {}

  SideReading read(const Series& series);
  // The same of the processes numbered up to `most` alone.
  SideReading read(const Series& series, int most);

 private:
  bool for_words_;
  stats::ProcessEstimator estimator_;
  stats::Lanes lanes_;
};

Side side_of(const SideReading& reading);

// The same side for a metric with samples of 0: its values are logs of arithmetic means, placement by
// placement. No outlier is dropped. -infinity for a process with only zeros.
SideReading with_plain_means(SideReading reading, const Series& series);

}  // namespace harness
