#include "harness/cli/run/tell_fitness.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/device/host/host_load.h"
#include "harness/device/host/host_state.h"
#include "harness/doctor/examine_host.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/examination_words.h"

namespace harness {

std::string unfitness_line(const Plan& plan, const std::string& device) {
  if (is_scripted_device(device)) return {};
  const bool for_cpu_cases = std::any_of(plan.cases.begin(), plan.cases.end(), [](const PlannedCase& one) {
    return !one.skip && !is_gpu_kind(one.device);
  });
  const std::filesystem::path root = environment::system_root();
  const HostReading now = read_host_load(root);
  std::vector<std::string> obstacles;
  for (const Observation& found : examine_host(read_host(root), for_cpu_cases)) {
    if (found.fitness != Fitness::unfit) continue;
    if (found.code == Check::load && now.queue.value_or(1) < 1) continue;
    obstacles.push_back(report::advice(found));
  }
  if (obstacles.empty()) return {};
  return fmt::format(
      "warning: unfit to measure: {}. Times vary here, so changes stay undecided, and slower times are "
      "doubted; `harness doctor` tells more",
      join(obstacles, "; "));
}

}  // namespace harness
