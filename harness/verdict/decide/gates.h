// Gates: which margin and alpha a metric of a case is judged by, and whether it decides anything. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

// Whether `name`, as a gate or a waiver writes it, means the metric: its own name, or `time` for the
// device's time, be it gpu_time or wall_time.
bool names_metric(std::string_view name, std::string_view metric);

struct RowGate {
  double margin = 0;
  double alpha = 0;
  bool informative = false;
};

// The policy's own margin and alpha win over the gate of the metric, which wins over that of the case.
RowGate gate_of(const Gate& gate, std::string_view metric, const Policy& policy);

// Gates of metrics that no case has, with the nearest name.
std::vector<Remark> remarks_on_gates(const Record& current);

}  // namespace harness
