// Metrics that a workload measures itself, such as accuracy, loss or a packed size. The workload declares
// them (Workload::metrics), and a suite names them (`metrics: [time, accuracy]`). After the last check,
// workload and variant report one value a process (Workload::report, Kernel::report). They are recorded,
// compared and gated as times are.
#pragma once

#include <string>
#include <string_view>

namespace harness::sdk {

enum class Better { lower, higher };

struct MetricSpec {
  std::string name;  // lower-case letters, digits and _, beginning with a letter: "accuracy"
  std::string unit;  // "bytes", "%", or "" for a plain number
  Better better = Better::lower;
  std::string summary;  // one line: what it measures
  bool timed = false;   // by a clock, so that equal work has another value each time
};

class MetricSink {
 public:
  MetricSink() = default;
  MetricSink(const MetricSink&) = delete;
  MetricSink& operator=(const MetricSink&) = delete;
  virtual ~MetricSink() = default;

  // The value of a metric in this process, in its unit. Throws std::invalid_argument for an undeclared name,
  // a second value of a name, and a number that is not finite. If the exception passes, the case fails with
  // that reason.
  virtual void report(std::string_view name, double value) = 0;

  // A sentence for the record that readers of this process's times need, whichever metrics the suite asks
  // for. A sentence that all processes share is printed once.
  virtual void note(std::string_view sentence) { (void)sentence; }
};

}  // namespace harness::sdk
