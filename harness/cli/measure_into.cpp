#include "harness/cli/measure_into.h"

#include <utility>

#include "harness/cli/begin_run.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/progress.h"

namespace harness {

Result<RunReport> measure_into(Store& store, Record& record, const Plan& plan, const Prepared& prepared,
                               const MeasureOptions& options) {
  Status machine_accepted;
  ProgressLine progress(options.quiet);
  RunOptions run;
  run.devices = prepared.devices;
  run.already = measured_pairs(record);
  run.may_begin = options.may_begin;
  run.measure_ceilings = options.measure_ceilings;
  run.on_progress = [&](const Progress& now) { progress.show(now, options.label); };
  run.on_result = [&](const ProcessResult& result) {
    return machine_accepted ? store.put(record.id, result) : machine_accepted;
  };
  run.on_machine = [&](const std::string& kind, const Machine& machine) {
    machine_accepted = check_same_machine(record, kind, machine);
    if (!machine_accepted) return;
    Machine& known = record.machines[kind];
    std::map<std::string, double> ceilings = machine.ceilings.empty() ? known.ceilings : machine.ceilings;
    known = machine;
    known.ceilings = std::move(ceilings);
    if (const Status kept = store.update_header(record); !kept) report_error(kept.error());
  };
  Result<RunReport> report = run_plan(plan, run);
  progress.clear();
  return report;
}

}  // namespace harness
