#include "harness/store/lost_baseline.h"

#include <algorithm>

#include "harness/store/baseline/candidates.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"
#include "harness/store/select_parts.h"

namespace harness {

bool is_measured_otherwise(Store& store, const std::string& name, const Selected& current,
                           const SelectOptions& options) {
  const std::filesystem::path folder = folder_of(options);
  const Result<std::string> asked = resolve_revision(folder, name);
  if (!asked) return false;
  const Result<Start> start = find_start(name, *asked, current.record.revision, folder);
  if (!start) return false;
  Wanted any;
  any.not_id = current.record.id;
  const Result<Candidates> candidates = candidates_of(store, *start, any, folder);
  return candidates && candidates->ancestors > 0;
}

bool is_measured_on_another_branch(Store& store, const Selected& current) {
  const Machine* machine = primary_machine(current.record);
  if (machine == nullptr) return false;
  RunQuery query;
  query.suite = current.record.suite.name;
  query.device_uuid = machine->device_uuid;
  query.state = RunState::complete;
  query.calibration = false;
  query.count_results = false;
  const auto runs = store.list(query);
  return runs && std::any_of(runs->begin(), runs->end(), [&](const RunInfo& run) {
           return !run.revision.commit.empty() && run.revision.commit != current.record.revision.commit;
         });
}

}  // namespace harness
