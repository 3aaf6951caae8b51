#include "harness/cli/farm/element/measure_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/cli/measuring/measure_into.h"
#include "harness/cli/programs/record_keeper.h"
#include "harness/measure/schedule/run.h"
#include "harness/store/farm/alike.h"

namespace harness {
namespace {

class TaskMeasurer {
 public:
  TaskMeasurer(const TaskMeasuring& how, const FarmTask& task)
      : how_(how),
        task_(task),
        suite_(how.campaign.suites.at(static_cast<std::size_t>(task.suite))),
        measured_{how.id, task.number, how.holder.name, {}, how.holder.device, 0} {}

  Result<std::optional<MeasuredTask>> measure();

 private:
  // The part of each side, timed as the earlier processes of its cases.
  [[nodiscard]] Result<std::vector<Plan>> find_parts() const;
  void hand_over_part(const std::vector<Plan>& parts);
  Status put(std::size_t side, EncodedResult result);
  [[nodiscard]] RunOptions options_of(std::size_t side);
  void know(std::size_t side, const std::string& kind, const Machine& seen);

  const TaskMeasuring& how_;
  const FarmTask& task_;
  const CampaignSuite& suite_;
  MeasuredTask measured_;
  std::vector<std::map<std::string, Machine>> others_;  // that measured for the campaign, by side and kind
  Status accepted_;                                     // each machine so far
};

Result<std::optional<MeasuredTask>> TaskMeasurer::measure() {
  for (const CampaignSide& side : suite_.sides) {
    measured_.sides.push_back({side.record, {}, {}});
    const Result<Record> header = how_.load(side.record, {});
    if (!header) return fail(header.error());
    others_.push_back(header->machines);
  }
  const Result<std::vector<Plan>> parts = find_parts();
  if (!parts) return fail(parts.error());
  const Plan& current = parts->back();
  Result<RunReport> report;
  if (suite_.sides.size() == 1 || suite_.pair) {
    report = run_plan(current, options_of(suite_.sides.size() - 1));
  } else {
    const RunOptions before = options_of(0), after = options_of(1);
    report = run_in_turns({parts->front(), before}, {current, after}, suite_.seed);
  }
  if (!accepted_) return fail(accepted_.error());
  if (!report) return fail(report.error());
  if (report->interrupted || report->ended) {
    hand_over_part(*parts);
    return std::nullopt;
  }
  int results = 0;
  for (const MeasuredSide& side : measured_.sides) {
    results += static_cast<int>(side.results.size());
    for (const PlannedCase& one : current.cases)
      if (!side.machines.contains(one.device))
        return fail(ErrorKind::environment,
                    fmt::format("{}: the device could not be opened, so that task {} is not measured",
                                how_.prepared.devices.at(one.device), task_.number),
                    "`harness doctor` tells what is in the way");
  }
  if (results != task_.results)
    return fail(ErrorKind::internal,
                fmt::format("task {} has {} results, not {}", task_.number, results, task_.results));
  return measured_;
}

void TaskMeasurer::hand_over_part(const std::vector<Plan>& parts) {
  std::map<int, std::size_t> counts;  // of results, by process
  std::size_t cases = 0;
  const int planned = parts.front().cases.front().sampling.processes;
  for (const Plan& part : parts) {
    cases += part.cases.size();
    for (const PlannedCase& one : part.cases)
      if (one.sampling.processes != planned) return;
  }
  for (const MeasuredSide& side : measured_.sides)
    for (const EncodedResult& one : side.results) ++counts[one.result.process];
  int whole = 0;
  while (whole < planned && counts[task_.processes_before + whole + 1] == cases) ++whole;
  if (whole == 0 || whole == planned || !how_.on_part) return;
  for (MeasuredSide& side : measured_.sides)
    std::erase_if(side.results, [&](const EncodedResult& one) {
      return one.result.process > task_.processes_before + whole;
    });
  how_.on_part(measured_, whole);
}

Result<std::vector<Plan>> TaskMeasurer::find_parts() const {
  std::vector<Plan> parts = how_.plans;
  if (task_.processes_before == 0) return parts;
  std::set<std::string> ids;
  for (const PlannedCase& one : parts.front().cases) ids.insert(one.id);
  const auto known = how_.load(suite_.sides.front().record, ids);
  if (!known) return fail(known.error());
  for (Plan& part : parts) take_decisions(part, *known);
  return parts;
}

Status TaskMeasurer::put(std::size_t side, EncodedResult result) {
  if (!accepted_) return accepted_;
  MeasuredSide& into = measured_.sides[side];
  if (suite_.sides.size() > 1) {  // its device is one of several
    const std::vector<PlannedCase>& cases = how_.plans[side].cases;
    const auto planned = std::find_if(
        cases.begin(), cases.end(), [&](const PlannedCase& one) { return one.id == result.result.case_id; });
    if (planned == cases.end())
      return fail(ErrorKind::internal,
                  fmt::format("a result of {}, which is not of the task", printable(result.result.case_id)));
    result.result.device_uuid = into.machines[planned->device].device_uuid;
    result.text.clear();
  }
  // Both results of a process that measures two builds hold all of its time.
  if (!suite_.pair || side > 0)
    for (const Phase& phase : result.result.phases) measured_.seconds += phase.duration;
  into.results.push_back(std::move(result));
  return {};
}

RunOptions TaskMeasurer::options_of(std::size_t side) {
  RunOptions options;
  options.devices = how_.prepared.devices;
  options.peers = peer_names(how_.prepared);
  options.ending = how_.ending;
  options.leaves_worker = true;
  options.processes_before = task_.processes_before;
  options.order_seed = suite_.pair ? suite_.seed : options.order_seed;
  options.on_result = [this, side](EncodedResult result) { return put(side, std::move(result)); };
  if (suite_.pair) {
    options.pair = suite_.pair;
    options.on_baseline = [this](EncodedResult result) { return put(0, std::move(result)); };
  } else {
    options.worker_command = {suite_.sides[side].program, "worker"};
  }
  options.worker_folder = suite_.sides[side].folder;
  options.on_machine = [this, side](const std::string& kind, const Machine& machine) {
    know(side, kind, machine);
    if (suite_.pair) know(0, kind, machine);
  };
  options.on_progress = how_.on_progress;
  options.may_begin = how_.may_begin;
  read_programs(options);
  return options;
}

void TaskMeasurer::know(std::size_t side, const std::string& kind, const Machine& seen) {
  Machine machine = seen;
  complete(machine, kind, how_.prepared);
  const auto wanted = suite_.devices.find(kind);
  if (wanted != suite_.devices.end() && wanted->second != machine.device_uuid)
    accepted_ = fail(
        ErrorKind::not_comparable,
        fmt::format("the campaign is measured on {}, and this is {}", wanted->second, machine.device_uuid),
        "measure one build on the device that it was planned for; plan two builds to use several devices");
  const auto others = others_.at(side).find(kind);
  if (const Status alike = others == others_.at(side).end() ? Status() : check_alike(others->second, machine);
      !alike)
    accepted_ = alike;
  measured_.sides[side].machines[kind] = std::move(machine);
}

}  // namespace

Result<std::optional<MeasuredTask>> measure_task(const TaskMeasuring& how, const FarmTask& task) {
  return TaskMeasurer(how, task).measure();
}

}  // namespace harness
