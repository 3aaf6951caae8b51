#include "harness/cli/options/workers_option.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "harness/cli/measuring/choose_devices.h"
#include "harness/device/host/host_state.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr int most_workers = 16;

int usable_threads() {
  const HostState host = read_host();
  const double limit = host.cpu_limit.value_or(host.usable_cpus);
  return static_cast<int>(std::min<double>(host.usable_cpus, std::ceil(limit)));
}

}  // namespace

int usual_workers(int threads) {
  constexpr int for_two = 8, for_three = 12;
  return threads >= for_three ? 3 : threads >= for_two ? 2 : 1;
}

void WorkersOption::add_to(CLI::App& command) {
  command
      .add_option(
          "--workers", workers,
          "processes that share a GPU: one measures, the others prepare and check; not with --against; "
          "default: 3 with 12 hardware threads or more, 2 with 8, else 1")
      ->check(CLI::Range(1, most_workers))
      ->type_name("N");
}

std::map<std::string, int> WorkersOption::of(const ChosenDevices& chosen) const {
  std::map<std::string, int> all;
  for (const auto& [kind, device] : chosen.devices) {
    if (!is_gpu_kind(kind) && !(workers && is_scripted_device(device))) continue;
    const int count = workers ? *workers : usual_workers(usable_threads());
    if (count > 1 && !chosen.side_by_side.contains(kind)) all[kind] = count;
  }
  return all;
}

}  // namespace harness
