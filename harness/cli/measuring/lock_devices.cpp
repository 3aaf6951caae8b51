#include "harness/cli/measuring/lock_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "harness/base/text.h"
#include "harness/device/open.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

bool measures_on(const Plan& plan, const std::string& kind) {
  return std::any_of(plan.cases.begin(), plan.cases.end(),
                     [&](const PlannedCase& one) { return one.device == kind && !one.skip; });
}

// The UUID that the device reports. A script is read here; it is no device of the host.
std::string uuid_of(const std::string& name, const std::string& identity) {
  if (!identity.empty()) return identity;
  if (!is_scripted_device(name)) return name;
  const Result<OpenedDevice> opened = open_device(name);
  return opened ? opened->device->sensors().fingerprint().device_uuid : name;
}

}  // namespace

std::vector<UsedDevice> devices_used(const Prepared& prepared) {
  std::vector<UsedDevice> used;
  for (const auto& [kind, name] : prepared.devices) {
    if (!measures_on(prepared.plan, kind)) continue;
    const auto several = prepared.side_by_side.find(kind);
    if (several != prepared.side_by_side.end()) {
      for (const DeviceChoice& one : several->second) used.push_back({kind, one.name, one.uuid});
      continue;
    }
    const auto known = prepared.identities.find(kind);
    used.push_back({kind, name, uuid_of(name, known == prepared.identities.end() ? "" : known->second)});
  }
  return used;
}

Result<std::vector<DeviceLock>> lock_devices(const Prepared& prepared, const std::optional<Seconds>& wait) {
  std::set<std::string> identities;
  for (const UsedDevice& used : devices_used(prepared)) {
    const bool scripted = is_scripted_device(used.name);
    if (scripted && !wait) continue;
    identities.insert(scripted ? std::filesystem::absolute(script_of(used.name)).lexically_normal().string()
                               : used.uuid);
  }
  std::vector<DeviceLock> locks;
  for (const std::string& identity : identities) {
    const auto told = [](const std::string& message) { fmt::print(stderr, "waiting: {}\n", message); };
    Result<DeviceLock> lock = DeviceLock::take({identity, "suite " + prepared.plan.suite.name, wait, told});
    if (!lock) return fail(lock.error());
    locks.push_back(std::move(*lock));
  }
  return locks;
}

}  // namespace harness
