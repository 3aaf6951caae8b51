#include "harness/cli/deciding/known_build.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/cli/measuring/measure_into.h"
#include "harness/cli/provenance/running_build.h"
#include "harness/measure/worker/probe.h"

namespace harness {
namespace {

const ProcessResult* result_of_build(const CaseRecord& record, const std::string& build) {
  const auto found = std::find_if(
      record.processes.begin(), record.processes.end(),
      [&](const ProcessResult& one) { return one.identity.has_value() && one.identity->build == build; });
  return found == record.processes.end() ? nullptr : &*found;
}

// The times of kernels are of the process that measured them.
ProcessResult as_look(const ProcessResult& known) {
  ProcessResult look;
  look.case_id = known.case_id;
  look.outcome = Outcome::looked_at;
  look.identity = known.identity;
  look.choice = known.choice;
  look.kernels = known.kernels;
  for (KernelUse& kernel : look.kernels) kernel.us = 0;
  return look;
}

}  // namespace

Result<std::map<std::string, std::string>> learn_builds(Store& store, Record& record, const Plan& plan,
                                                        const Prepared& prepared) {
  std::map<std::string, std::string> builds = builds_of(plan, prepared);
  std::erase_if(builds, [&](const auto& one) {
    return one.second.empty() || prepared.side_by_side.contains(one.first);
  });
  for (const auto& [kind, build] : builds) {
    if (record.machines.contains(kind)) continue;
    const auto asked = prepared.machines.find(kind);
    Machine machine;
    if (asked != prepared.machines.end()) {
      machine = asked->second;
    } else {
      Result<DeviceProbe> probe = probe_device(prepared.devices.at(kind));
      if (!probe) return fail(probe.error());
      machine = std::move(probe->machine);
    }
    complete(machine, kind, prepared);
    record.machines[kind] = std::move(machine);
  }
  if (builds.empty()) return builds;
  if (const Status kept = store.update_header(record); !kept) return fail(kept.error());
  return builds;
}

Looks looks_of_build(const Record& baseline, const Record& record, const Plan& plan,
                     const std::map<std::string, std::string>& builds) {
  std::unordered_map<std::string_view, const CaseRecord*> before, own;
  for (const CaseRecord& one : baseline.cases) before.emplace(one.id, &one);
  for (const CaseRecord& one : record.cases) own.emplace(one.id, &one);
  Looks looks;
  for (const PlannedCase& planned : plan.cases) {
    const auto build = builds.find(planned.device);
    const auto old = before.find(planned.id), now = own.find(planned.id);
    if (planned.skip || planned.program || build == builds.end() || old == before.end()) continue;
    if (now == own.end() || !now->second->processes.empty()) continue;
    const ProcessResult* known = result_of_build(*old->second, build->second);
    if (known != nullptr) keep_look(looks, {as_look(*known)});
  }
  return looks;
}

}  // namespace harness
