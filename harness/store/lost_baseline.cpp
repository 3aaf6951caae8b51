#include "harness/store/lost_baseline.h"

#include "harness/store/baseline/candidates.h"
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

}  // namespace harness
