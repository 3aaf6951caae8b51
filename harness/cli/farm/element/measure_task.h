// Measures one task of a campaign on the devices of an element: all processes of its cases, of all its sides.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/farm/campaign.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/measure/schedule/run_options.h"
#include "harness/store/store.h"

namespace harness {

// An element, as far as measuring a task needs to know it.
struct TaskMeasuring {
  const Campaign& campaign;
  const std::string& id;  // of the campaign
  const Holder& holder;
  const Prepared& prepared;                      // the devices, which are locked
  const std::shared_ptr<EndingWorkers>& ending;  // takes over the last worker
  std::vector<Plan> plans;                       // the task's cases, as each side has them
  // These cases of a stored record.
  std::function<Result<Record>(const std::string& record, const std::set<std::string>& cases)> load = {};
  std::function<void(const Progress&)> on_progress = {};  // several times a second
  std::function<bool()> may_begin = {};                   // whether another process may begin
  // The results of the first so many processes of every case, where an interrupted task has them.
  std::function<void(const MeasuredTask& part, int processes)> on_part = {};
};

// std::nullopt: interrupted, or `may_begin` said no. Errors: a machine that the campaign is not for, a device
// that cannot be opened, and those of run_plan().
Result<std::optional<MeasuredTask>> measure_task(const TaskMeasuring& how, const FarmTask& task);

}  // namespace harness
