// Measures a whole plan into a record of the store: the middle of `run`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/clock_option.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/device/host/clock_lock.h"
#include "harness/measure/schedule/device_lock.h"
#include "harness/model/results/comparison.h"
#include "harness/store/store.h"

namespace harness {

// A record being measured: nobody else writes to it, or measures on its devices.
struct MeasuredRecord {
  std::vector<DeviceLock> devices;
  std::vector<ClockLock> clocks;
  OpenRun run;
  bool interrupted = false;
};

// Cases that are not measured, because they are proven to do what the baseline's did.
struct SparedCases {
  std::set<std::string> ids = {};
  bool interrupted = false;
  std::map<std::string, ProofGap> gaps = {};  // why others are not, by id
};

struct MeasureRecordOptions {
  BeginOptions begin;
  MeasuringOptions measuring;
  ClockOption clocks;
  std::function<void(const Record&)> on_begin = {};  // the record as planned, before anything is measured
  // Adapts the plan to the baseline that will judge the record, before anything is measured.
  std::function<void(Plan&, const Record&)> adapt = {};
  // Asked once the devices are locked: which cases need no measuring.
  std::function<Result<SparedCases>(Record&)> spare = {};
};

// Locks the devices and measures. The result's record is as stored.
Result<MeasuredRecord> measure_record(Store& store, Prepared& prepared, const MeasureRecordOptions& options);

}  // namespace harness
