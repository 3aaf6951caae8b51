#include "harness/cli/measuring/measure_into.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/output/progress_line.h"
#include "harness/cli/output/rescue.h"
#include "harness/cli/programs/record_keeper.h"

namespace harness {

void complete(Machine& machine, const std::string& kind, const Prepared& prepared) {
  if (const auto several = prepared.side_by_side.find(kind); several != prepared.side_by_side.end()) {
    std::vector<std::string> uuids;
    for (const DeviceChoice& choice : several->second) uuids.push_back(choice.uuid);
    std::sort(uuids.begin(), uuids.end());
    machine.device_uuid = join(uuids, "+");
  }
  if (const auto facts = prepared.facts.find(kind); facts != prepared.facts.end())
    machine.fields.insert(machine.fields.end(), facts->second.begin(), facts->second.end());
}

Result<RunReport> measure_into(Store& store, Record& record, const Plan& plan, const Prepared& prepared,
                               const MeasureOptions& options) {
  Status machine_accepted;
  ProgressLine progress(options.quiet);
  RunOptions run;
  run.devices = prepared.devices;
  run.peers = peer_names(prepared);
  run.ending = prepared.ending;
  run.already = measured_pairs(record);
  if (options.deadline)
    run.may_begin = [deadline = *options.deadline] { return std::chrono::steady_clock::now() < deadline; };
  run.measure_ceilings = options.measure_ceilings;
  for (const auto& [kind, machine] : record.machines) run.ceilings[kind] = machine.ceilings;
  run.processes_before = options.processes_before;
  run.look = static_cast<bool>(options.look);
  run.on_progress = [&](const Progress& now) { progress.show(now, options.label); };
  RecordKeeper keeper(store, record);
  read_programs(run);
  run.on_case = [&](const PlannedCase& planned) { return keeper.add_case(planned); };
  run.on_result = [&](EncodedResult result) -> Status {
    if (!machine_accepted) return machine_accepted;
    if (options.look) return options.look(std::move(result));
    return keeper.put(result);
  };
  for (const auto& [kind, choices] : prepared.side_by_side)
    for (const DeviceChoice& choice : choices) run.side_by_side[kind].push_back({choice.name, choice.uuid});
  run.on_machine = [&](const std::string& kind, const Machine& seen) {
    Machine machine = seen;
    complete(machine, kind, prepared);
    if (machine_accepted) machine_accepted = check_same_machine(record, kind, machine);
    if (!machine_accepted) return;
    Machine& known = record.machines[kind];
    // With several devices, the highest ceiling of all.
    std::map<std::string, double> ceilings = known.ceilings;
    for (const auto& [name, value] : machine.ceilings)
      ceilings[name] = prepared.side_by_side.contains(kind) ? std::max(ceilings[name], value) : value;
    known = machine;
    known.ceilings = std::move(ceilings);
    if (const Status kept = store.update_header(record); !kept) report_error(kept.error());
  };
  Plan timed = plan;
  take_decisions(timed, record);
  Result<RunReport> report = run_plan(timed, run);
  progress.clear();
  if (const Status written = keeper.write_late(); !written) return fail(rescued(record, written.error()));
  if (const Status kept = forget_another_build(store, record, plan); !kept) return fail(kept.error());
  if (!report && keeper.store_failed()) return fail(rescued(record, report.error()));
  return report;
}

}  // namespace harness
