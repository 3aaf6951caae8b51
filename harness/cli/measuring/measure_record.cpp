#include "harness/cli/measuring/measure_record.h"

#include "harness/base/files.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/measuring/measure_into.h"
#include "harness/cli/output/rescue.h"

namespace harness {

namespace {

// All cases but those that are spared.
Result<RunReport> measure(Store& store, Record& record, const Prepared& prepared,
                          const MeasureRecordOptions& options) {
  Plan plan = prepared.plan;
  if (options.spare) {
    const Result<SparedCases> spared = options.spare(record);
    if (!spared) return fail(spared.error());
    if (spared->interrupted) return RunReport{false, true};
    std::erase_if(plan.cases, [&](const PlannedCase& one) { return spared->ids.contains(one.id); });
    if (plan.cases.empty()) return RunReport{};
  }
  if (options.adapt) options.adapt(plan, record);  // a look has told the record its machines
  return measure_into(store, record, plan, prepared, {options.measuring.quiet});
}

}  // namespace

Result<MeasuredRecord> measure_record(Store& store, Prepared& prepared, const MeasureRecordOptions& options) {
  auto locks = lock_devices(prepared, {options.measuring.wait});
  if (!locks) return fail(locks.error());
  auto clocks = lock_clocks(prepared, options.clocks);
  if (!clocks) return fail(clocks.error());
  Result<OpenRun> run = begin_run(store, prepared.plan, options.begin);
  if (!run) return fail(run.error());
  Record& record = run->record;
  if (options.on_begin) options.on_begin(record);
  const Result<RunReport> report = measure(store, record, prepared, options);
  if (!report) {
    if (const Status closed = store.finish(record.id, RunState::interrupted); !closed)
      report_error(closed.error());
    return fail(report.error());
  }
  if (!report->interrupted) {
    record.finished = utc_timestamp();
    if (const Status kept = store.update_header(record); !kept) return fail(rescued(record, kept.error()));
  }
  const RunState state = report->interrupted ? RunState::interrupted : RunState::complete;
  if (const Status finished = store.finish(record.id, state); !finished)
    return fail(rescued(record, finished.error()));
  Result<Record> stored = store.load(record.id);
  if (!stored) return fail(rescued(record, stored.error()));
  record = std::move(*stored);
  return MeasuredRecord{std::move(*locks), std::move(*clocks), std::move(*run), report->interrupted};
}

}  // namespace harness
