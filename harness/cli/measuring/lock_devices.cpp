#include "harness/cli/measuring/lock_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "harness/base/text.h"
#include "harness/device/open.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// How many devices of a kind the largest case uses; 0: none is measured on it.
std::size_t most_used(const Plan& plan, const std::string& kind) {
  int most = 0;
  for (const PlannedCase& one : plan.cases)
    if (one.device == kind && !one.skip) most = std::max(most, one.gpus);
  return static_cast<std::size_t>(most);
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
    const std::size_t count = most_used(prepared.plan, kind);
    if (count == 0) continue;
    const auto several = prepared.side_by_side.find(kind);
    if (several != prepared.side_by_side.end()) {
      for (const DeviceChoice& one : several->second) used.push_back({kind, one.name, one.uuid});
      continue;
    }
    const auto known = prepared.identities.find(kind);
    used.push_back({kind, name, uuid_of(name, known == prepared.identities.end() ? "" : known->second)});
    const auto peers = prepared.peers.find(kind);
    if (peers == prepared.peers.end()) continue;
    for (std::size_t i = 0; i + 1 < count && i < peers->second.size(); ++i)
      used.push_back({kind, peers->second[i].name, uuid_of(peers->second[i].name, peers->second[i].uuid)});
  }
  return used;
}

Result<std::vector<DeviceLock>> lock_devices(const Prepared& prepared, const Locking& how) {
  std::map<std::string, bool> identities;  // shared
  for (const UsedDevice& used : devices_used(prepared)) {
    const bool scripted = is_scripted_device(used.name);
    if (scripted && !how.wait) continue;
    identities[scripted ? std::filesystem::absolute(script_of(used.name)).lexically_normal().string()
                        : used.uuid] = how.shared.contains(used.kind);
  }
  std::vector<DeviceLock> locks;
  for (const auto& [identity, is_shared] : identities) {
    const auto told = [](const std::string& message) { fmt::print(stderr, "waiting: {}\n", message); };
    Result<DeviceLock> lock = DeviceLock::take(
        {identity, "suite " + prepared.plan.suite.name, how.wait, told, is_shared, how.tick});
    if (!lock) return fail(lock.error());
    locks.push_back(std::move(*lock));
  }
  return locks;
}

}  // namespace harness
