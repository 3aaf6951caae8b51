#include "harness/cli/judging/learned_policy.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "harness/store/baselines.h"
#include "harness/store/git.h"
#include "harness/study/session_spreads.h"

namespace harness {
namespace {

constexpr std::size_t most_runs = 30;  // the newest, of which a case's noise is learned
constexpr int most_learned_from = 1000;

// Only runs along first parents of `commit`, the nearest first. Runs of other branches would alternate with
// these, and their slow builds would look like noise. Where git does not know the commit, all runs stay.
void keep_branch(std::vector<RunInfo>& runs, const std::string& commit) {
  if (commit.empty()) return;
  const auto line = first_parents(".", commit, most_learned_from);
  if (!line) return;
  std::map<std::string, std::size_t> places;
  for (const Commit& one : *line) places.emplace(one.hash, places.size());
  std::erase_if(runs, [&](const RunInfo& run) { return !places.contains(run.revision.commit); });
  std::stable_sort(runs.begin(), runs.end(), [&](const RunInfo& a, const RunInfo& b) {
    return places.at(a.revision.commit) < places.at(b.revision.commit);
  });
}

}  // namespace

std::vector<LearnedSpread> learned_of(const StoredHistory& stored, const std::string& kind,
                                      const Machine& machine) {
  std::vector<CalibrationSession> sessions;
  for (const StoredSeries& one : stored.series) {
    const StoredRun& run = stored.runs[one.run];
    const auto there = run.machines.find(one.device);
    if (!run.info.calibration || run.info.state != RunState::complete || one.device != kind ||
        there == run.machines.end() || there->second.machine_class != machine.machine_class)
      continue;
    sessions.push_back({one.case_id, one.metric, there->second.device_uuid,
                        run.info.revision.commit + " " + run.info.revision.changes, one.log_values});
  }
  return learn_spreads(sessions, machine.device_uuid);
}

std::vector<LearnedSpread> learned_from_runs(Store& store, const Record& current, const std::string& kind,
                                             const Machine& machine) {
  RunQuery query;
  query.suite = current.suite.name;
  query.machine_class = machine.machine_class;
  query.device_uuid = machine.device_uuid;
  query.calibration = false;
  query.dirty = false;
  query.state = RunState::complete;
  query.count_results = false;
  auto runs = store.list(query);
  if (!runs) return {};
  std::erase_if(*runs, [&](const RunInfo& run) { return run.id == current.id; });
  if (runs->size() < fewest_runs_of_history) return {};
  keep_branch(*runs, current.revision.commit);
  if (runs->size() < fewest_runs_of_history) return {};
  runs->resize(std::min(runs->size(), most_runs));
  std::vector<std::string> oldest_first;
  for (auto run = runs->rbegin(); run != runs->rend(); ++run) oldest_first.push_back(run->id);
  const auto values = store.values_of(oldest_first, kind);
  if (!values) return {};
  struct Past {
    std::vector<std::vector<double>> log_values;
    std::vector<std::string> digests;
  };
  std::unordered_map<std::string_view, std::map<std::string_view, Past>> pasts;  // by case and metric
  for (const std::vector<CaseValues>& run : *values)
    for (const CaseValues& one : run) {
      Past& past = pasts[one.case_id][one.metric];
      past.log_values.push_back(one.log_values);
      past.digests.push_back(one.digest);
    }
  std::vector<LearnedSpread> learned;
  for (const auto& [case_id, metrics] : pasts)
    for (const auto& [metric, past] : metrics)
      if (auto spread =
              learn_from_history(std::string(case_id), std::string(metric), past.log_values, past.digests))
        learned.push_back(std::move(*spread));
  return learned;
}

Policy with_learned(Store& store, Policy policy, const Record& current) {
  RunQuery calibrations;
  calibrations.suite = current.suite.name;
  calibrations.calibration = true;
  calibrations.state = RunState::complete;
  const auto stored = store.history(calibrations);
  for (const auto& [kind, machine] : current.machines) {
    std::map<std::pair<std::string, std::string>, LearnedSpread> learned;
    const auto take = [&](LearnedSpread& spread) {
      learned[{spread.case_id, spread.metric}] = std::move(spread);
    };
    for (LearnedSpread& spread : learned_from_runs(store, current, kind, machine)) take(spread);
    if (stored)
      for (LearnedSpread& spread : learned_of(*stored, kind, machine)) take(spread);
    for (auto& [name, spread] : learned) policy.learned.push_back(std::move(spread));
  }
  return policy;
}

}  // namespace harness
