// The metrics that a workload and its variant report of a case. One thread uses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/record.h"
#include "harness/sdk/metric.h"

namespace harness {

// Collects what a workload and its variant report, checked against what the workload declares.
class Reported final : public sdk::MetricSink {
 public:
  explicit Reported(std::vector<sdk::MetricSpec> declared) : declared_(std::move(declared)) {}

  void report(std::string_view name, double value) override;
  void note(std::string_view sentence) override;

  // Whether one of the metrics is a time.
  [[nodiscard]] bool tells_times() const;
  // Whether one of these is declared, and none of them is timed.
  [[nodiscard]] bool may_repeat(const std::vector<std::string>& names) const;
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
  Notes notes_;
};

}  // namespace harness
