// Kernel time: whether the time of a call that events measured fits what a profiler saw of its kernels, and
// the memory that the call moved beside what the workload declares. Both explain; neither decides. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/model/record.h"
#include "harness/model/results/findings.h"

namespace harness {

// Events may tell this much more or less than the kernels' own times together: what an event pair costs, and
// the ticks of both clocks.
inline constexpr double tolerable_time_share = 0.01;
inline constexpr double tolerable_time_us = 1.5;

// Where a case's median sample and the sum of its kernels' times disagree by more: both figures and the
// likeliest cause. Takes the median over processes that have both. The cause is the clock under two
// conditions. The device was throttled in more placements than the gate allows. The difference is more than
// events and launches cost, but less than a third. `pair_us`: of the events, where the case has no control.
std::optional<Diagnostic> kernel_time_doubt(const CaseRecord& record,
                                            std::optional<double> pair_us = std::nullopt);

// The time in us that a pair of events adds to a call: the median, over all controls of the record on a kind
// of device, of an empty call timed alone less one in a batch.
class EventPairCosts {
 public:
  explicit EventPairCosts(const Record& record);

  // Nothing without a control.
  [[nodiscard]] std::optional<double> of(const std::string& device) const;

 private:
  std::map<std::string, double> known_;
};

// Bytes a call through DRAM, where the suite asks for the hardware counters dram__bytes_read.sum and
// dram__bytes_write.sum.
std::optional<Diagnostic> traffic_diagnostic(const CaseRecord& record);

}  // namespace harness
