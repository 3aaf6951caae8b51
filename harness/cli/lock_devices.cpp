#include "harness/cli/lock_devices.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr std::string_view scripted_prefix = "scripted:";

bool measures_on(const Plan& plan, const std::string& kind) {
  return std::any_of(plan.cases.begin(), plan.cases.end(),
                     [&](const PlannedCase& one) { return one.device == kind && one.skip.empty(); });
}

Result<std::optional<Seconds>> patience_of(const std::string& wait) {
  if (wait.empty()) return std::nullopt;
  if (wait == "0") return 0.0;
  const Result<Seconds> parsed = parse_duration(wait);
  if (!parsed)
    return fail(ErrorKind::usage, fmt::format("--wait: {}", parsed.error().message), parsed.error().advice);
  return *parsed;
}

}  // namespace

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
  for (const auto& [kind, name] : prepared.devices) {
    const bool scripted = name.starts_with(scripted_prefix);
    if (!measures_on(prepared.plan, kind) || (scripted && wait.empty())) continue;
    const auto known = prepared.identities.find(kind);
    if (scripted)
      identities.insert(std::filesystem::absolute(name.substr(scripted_prefix.size())).lexically_normal());
    else
      identities.insert(known == prepared.identities.end() ? name : known->second);
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
