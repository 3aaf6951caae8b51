#include "harness/cli/judging/learned_policy.h"

#include <algorithm>
#include <map>
#include <string_view>

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
  struct Past {
    std::vector<std::vector<double>> log_values;
    std::vector<std::string> digests;
  };
  std::map<std::pair<std::string, std::string>, Past> newest_first;
  for (const RunInfo& run : *runs) {
    RunQuery one;
    one.id_prefix = run.id;
    const auto stored = store.history(one);
    const auto cases = store.cases_of(run.id);
    if (!stored || !cases) return {};
    std::map<std::string_view, std::string_view> digests;
    for (const StoredCase& known : *cases) digests.emplace(known.id, known.digest);
    for (const StoredSeries& series : stored->series) {
      if (series.device != kind || series.log_values.empty()) continue;
      Past& past = newest_first[{series.case_id, series.metric}];
      past.log_values.push_back(series.log_values);
      past.digests.emplace_back(digests[series.case_id]);
    }
  }
  std::vector<LearnedSpread> learned;
  for (auto& [name, past] : newest_first) {
    std::reverse(past.log_values.begin(), past.log_values.end());
    std::reverse(past.digests.begin(), past.digests.end());
    if (auto spread = learn_from_history(name.first, name.second, past.log_values, past.digests))
      learned.push_back(std::move(*spread));
  }
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
