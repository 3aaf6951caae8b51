#include "harness/cli/ab/red_counters.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

#include "harness/base/environment.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/measure/schedule/run.h"
#include "harness/model/device_kinds.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/cause/find_causes.h"
#include "harness/verdict/decide/order.h"

namespace harness {
namespace {

// Traffic of each memory, conflicts, work by kind, and why warps wait.
constexpr std::array<const char*, 12> explaining_counters{
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_bytes.sum",
    "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "smsp__inst_executed.sum",
    "smsp__inst_executed_pipe_tensor.sum",
    "smsp__inst_executed_pipe_fp64.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"};

constexpr std::size_t most_explained = 8;
constexpr Seconds longest_case = 20;
constexpr auto longest = std::chrono::seconds(60);

// A chip without one of the counters is nothing that somebody can change.
bool can_be_changed(const CounterFact& why) {
  return why.code == CounterCode::refused || why.code == CounterCode::no_profiler;
}

// The log of the largest ratio of each case's regressed rows.
std::map<std::string, double> losses_of(const Comparison& comparison) {
  std::map<std::string, double> losses;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::regressed || !decides(row) || !(deciding_ratio(row) > 0)) continue;
    double& most = losses[row.case_id];
    most = std::max(most, std::abs(std::log(deciding_ratio(row))));
  }
  return losses;
}

bool has_counters(const PlannedCase& planned, const std::map<std::string, std::string>& devices) {
  const auto device = devices.find(planned.device);
  return !planned.skip && !planned.program && device != devices.end() && device->second != cpu_kind.name;
}

bool has_both(const CountersOfSides& read) {
  return !read.baseline.empty() && !read.current.empty();
}

RunOptions options_of(const AbSide& side) {
  RunOptions options;
  options.look = options.counters = true;
  options.measure_ceilings = false;
  options.devices = side.prepared.devices;
  options.peers = peer_names(side.prepared);
  options.worker_command = {side.program.string(), "worker"};
  options.worker_folder = side.folder;
  const auto end = std::chrono::steady_clock::now() + longest;
  options.may_begin = [end] { return std::chrono::steady_clock::now() < end; };
  return options;
}

// Adds the readings of other counters.
void add_readings(std::vector<CounterReading>& all, const std::vector<CounterReading>& more) {
  for (const CounterReading& one : more)
    if (std::none_of(all.begin(), all.end(), [&](const auto& other) { return other.name == one.name; }))
      all.push_back(one);
}

}  // namespace

Plan plan_of_counters(const Plan& whole, const std::map<std::string, std::string>& devices,
                      const Comparison& comparison) {
  const std::map<std::string, double> losses = losses_of(comparison);
  Plan plan = whole;
  std::erase_if(plan.cases, [&](const PlannedCase& one) {
    return !has_counters(one, devices) || !losses.contains(one.id);
  });
  std::stable_sort(plan.cases.begin(), plan.cases.end(), [&](const auto& one, const auto& other) {
    return losses.at(one.id) > losses.at(other.id);
  });
  if (plan.cases.size() > most_explained)
    plan.cases.erase(plan.cases.begin() + most_explained, plan.cases.end());
  for (PlannedCase& one : plan.cases) {
    one.metrics.assign(explaining_counters.begin(), explaining_counters.end());
    one.sampling.timeout = std::min(one.sampling.timeout, longest_case);
  }
  return plan;
}

std::vector<CounterReading> counters_in(const ProcessResult& result, std::optional<CounterFact>& refused) {
  std::vector<CounterReading> read = counters_of(result.series);
  if (!read.empty()) return read;
  for (const Note& note : result.notes) {
    if (note.code != NoteCode::counters_missing) continue;
    auto why = fact_in<CounterCode>(note.figures, "why");
    if (!why || !can_be_changed(*why)) continue;
    std::erase_if(why->figures,
                  [](const Figure& figure) { return figure.name == "counters"; });  // all of them
    refused = std::move(why);
  }
  return read;
}

RedCounters read_counters(const AbSide& baseline, const AbSide& current,
                          const std::optional<PairedBuilds>& pair, const Record& baseline_record,
                          const Comparison& comparison) {
  RedCounters found;
  if (environment::cupti_library() == "off") return found;  // nobody wants any
  Plan before = plan_of_counters(baseline.prepared.plan, baseline.prepared.devices, comparison),
       after = plan_of_counters(current.prepared.plan, current.prepared.devices, comparison);
  if (pair) before = after = common_plan(before, after);
  if (before.cases.empty() || after.cases.empty()) return found;
  for (Plan* plan : {&before, &after}) take_decisions(*plan, baseline_record);
  const auto keep = [&](std::vector<CounterReading> CountersOfSides::*side) {
    return [&found, side](const EncodedResult& result) -> Status {
      found.cases[result.result.case_id].*side = counters_in(result.result, found.refused);
      return {};
    };
  };
  // A run that fails leaves cases without counters. The verdict stands.
  if (pair) {
    RunOptions options = options_of(current);
    options.worker_command.clear();
    options.pair = pair;
    options.on_baseline = keep(&CountersOfSides::baseline);
    options.on_result = keep(&CountersOfSides::current);
    (void)run_plan(after, options);
    return found;
  }
  for (const auto& [side, plan, values] : {std::tuple(&baseline, &before, &CountersOfSides::baseline),
                                           {&current, &after, &CountersOfSides::current}}) {
    RunOptions options = options_of(*side);
    options.on_result = keep(values);
    const Result<RunReport> report = run_plan(*plan, options);
    if (!report || report->interrupted) break;
  }
  return found;
}

void add_counters(Comparison& comparison, const RedCounters& counters) {
  bool any = false;
  for (ComparisonRow& row : comparison.rows) {
    const auto found = counters.cases.find(row.case_id);
    if (found == counters.cases.end() || !has_both(found->second) || row.causes == nullptr) continue;
    any = true;
    std::vector<CounterReading> before = row.causes->evidence.counters_baseline,
                                after = row.causes->evidence.counters_current;
    add_readings(before, found->second.baseline);
    add_readings(after, found->second.current);
    add_counters(row, std::move(before), std::move(after));
  }
  if (any || !counters.refused) return;
  Remark remark{RemarkCode::counters_unread, {}};
  put_fact(remark.figures, "why", *counters.refused);
  comparison.remarks.push_back(std::move(remark));
}

}  // namespace harness
