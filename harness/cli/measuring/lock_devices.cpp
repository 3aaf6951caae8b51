#include "harness/cli/measuring/lock_devices.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "harness/base/text.h"
#include "harness/device/open.h"

namespace harness {
namespace {

constexpr std::string_view scripted_prefix = "scripted:";

bool measures_on(const Plan& plan, const std::string& kind) {
  return std::any_of(plan.cases.begin(), plan.cases.end(),
                     [&](const PlannedCase& one) { return one.device == kind && !one.skip; });
}

Result<std::optional<Seconds>> patience_of(const std::string& wait) {
  if (wait.empty()) return std::nullopt;
  if (wait == "0") return 0.0;
  const Result<Seconds> parsed = parse_duration(wait);
  if (!parsed)
    return fail(ErrorKind::usage, fmt::format("--wait: {}", parsed.error().message), parsed.error().advice);
  return *parsed;
}

// What the device calls itself. A script is read here; it is no device of the host.
std::string uuid_of(const std::string& name, const std::string& identity) {
  if (!identity.empty()) return identity;
  if (!name.starts_with(scripted_prefix)) return name;
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

void add_wait_option(CLI::App& command, std::string& text) {
  command
      .add_option("--wait", text,
                  "for a device that another run uses, at most; 0: not at all; default: as "
                  "long as it takes")
      ->type_name("DURATION");
}

Result<std::vector<DeviceLock>> lock_devices(const Prepared& prepared, const std::string& wait) {
  const Result<std::optional<Seconds>> patience = patience_of(wait);
  if (!patience) return fail(patience.error());
  std::set<std::string> identities;
  for (const UsedDevice& used : devices_used(prepared)) {
    const bool scripted = used.name.starts_with(scripted_prefix);
    if (scripted && wait.empty()) continue;
    identities.insert(
        scripted
            ? std::filesystem::absolute(used.name.substr(scripted_prefix.size())).lexically_normal().string()
            : used.uuid);
  }
  std::vector<DeviceLock> locks;
  for (const std::string& identity : identities) {
    const auto told = [](const std::string& message) { fmt::print(stderr, "waiting: {}\n", message); };
    Result<DeviceLock> lock =
        DeviceLock::take({identity, "suite " + prepared.plan.suite.name, *patience, told});
    if (!lock) return fail(lock.error());
    locks.push_back(std::move(*lock));
  }
  return locks;
}

}  // namespace harness
