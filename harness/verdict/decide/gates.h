// Gates: which margin and alpha a metric of a case is judged by, and whether it decides anything. Pure.
#pragma once

#include <optional>
#include <string>
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
  double throttled = Gate{}.throttled;
  std::string unit = {};  // of the margin; "": a share

  bool operator==(const RowGate&) const = default;
};

// The margin as a share of `value`, where it is in the metric's own unit.
double margin_at(const RowGate& gate, double value);

// The policy's own margin and alpha win over the gate of the metric, which wins over that of the case.
RowGate gate_of(const Gate& gate, std::string_view metric, const Policy& policy, bool informs = false);

// The gate that decides, and the change's own where that lets more pass and does not count.
struct DecidingGate {
  RowGate gate;
  std::optional<RowGate> proposed = {};
};

// A change must not loosen its own gates: of the baseline's and the change's value the stricter one decides,
// unless the policy accepts what the change proposes. Without a baseline (`before` null) the change's
// decides.
DecidingGate deciding_gate(const Gate* before, const Gate& after, std::string_view metric,
                           const Policy& policy, bool informs = false);

// Whether the suite of either side gates the metric by an entry of its own that decides something.
bool has_own_gate(const Gate& before, const Gate& after, std::string_view metric);
// Whether it has any entry of its own.
bool names_gate_of(const Gate& before, const Gate& after, std::string_view metric);

// Gates of metrics that no case has, with the nearest name.
std::vector<Remark> remarks_on_gates(const Record& current);

}  // namespace harness
