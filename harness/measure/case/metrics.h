// The metrics of one case in one process beside its time: which the suite asks for, what the workload
// and the variant report, and the series that they become. One thread uses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/known_metrics.h"
#include "harness/model/record.h"
#include "harness/sdk/metric.h"

namespace harness {

// Collects what a workload and its variant report, checked against what the workload declares.
class Reported final : public sdk::MetricSink {
 public:
  explicit Reported(std::vector<sdk::MetricSpec> declared) : declared_(std::move(declared)) {}

  void report(std::string_view name, double value) override;
  void note(std::string_view sentence) override;

  // A series for each declared metric that is wanted and was reported; a note for each that was not, and what
  // was noted.
  void add_to(ProcessResult& result, const std::vector<std::string>& wanted) const;

 private:
  struct Value {
    std::string name;
    double value;
  };
  std::vector<sdk::MetricSpec> declared_;
  std::vector<Value> values_;
  std::vector<std::string> notes_;
};

bool contains(const std::vector<std::string>& metrics, const BuiltInMetric& metric);

// The times of a process as cycles of the clock that each placement read, as a series of `result`, where it
// is wanted; a note where the device reads none.
void add_cycles(ProcessResult& result, const std::vector<std::string>& wanted, const ProcessSamples& times);

// One value a process: one placement of one sample.
Series single_value(std::string metric, std::string unit, Direction direction, int process, double value);
Series single_value(const BuiltInMetric& metric, int process, double value);

}  // namespace harness
