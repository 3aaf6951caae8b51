#include "harness/cli/run/few_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/model/program_metrics.h"
#include "harness/report/numbers.h"
#include "harness/verdict/decide/gates.h"

namespace harness {
namespace {

int processes_at_most(const PlannedCase& planned) {
  const std::vector<int>& looks = planned.gate.looks;
  return looks.empty() ? planned.sampling.processes : std::max(planned.sampling.processes, looks.back());
}

}  // namespace

std::string_view judged_time(const PlannedCase& planned) {
  if (planned.is_traced()) return traced_kernel_time;
  const DeviceKind* kind = planned.program ? &cpu_kind : find_device_kind(planned.device);
  return kind == nullptr ? cpu_kind.time_metric : kind->time_metric;
}

std::string few_processes_line(const Plan& plan, const Policy& policy) {
  std::vector<const PlannedCase*> few;
  int most = 0;
  for (const PlannedCase& planned : plan.cases) {
    if (planned.skip || processes_at_most(planned) >= policy.min_processes) continue;
    if (gate_of(planned.gate, judged_time(planned), policy).informative) continue;
    few.push_back(&planned);
    most = std::max(most, processes_at_most(planned));
  }
  if (few.empty()) return {};
  const PlannedCase& first = *few.front();
  return fmt::format(
      "warning: {}: {} of {} cases, {} for one, measure at most {}, and a verdict on a time needs {} a side: "
      "write `sampling: {{processes: {}}}`, or make the time informative",
      to_string(first.where), few.size(), plan.cases.size(), first.id,
      report::counted(static_cast<std::size_t>(most), "process", "processes"), policy.min_processes,
      policy.min_processes);
}

}  // namespace harness
