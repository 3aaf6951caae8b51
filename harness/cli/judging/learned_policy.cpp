#include "harness/cli/judging/learned_policy.h"

#include "harness/store/baselines.h"
#include "harness/study/session_spreads.h"

namespace harness {

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

Policy with_learned(Store& store, Policy policy, const Record& current) {
  RunQuery query;
  query.suite = current.suite.name;
  query.calibration = true;
  query.state = RunState::complete;
  const auto stored = store.history(query);
  if (!stored || stored->runs.empty()) return policy;
  for (const auto& [kind, machine] : current.machines)
    for (LearnedSpread& spread : learned_of(*stored, kind, machine))
      policy.learned.push_back(std::move(spread));
  return policy;
}

}  // namespace harness
