#include "harness/store/baseline/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/model/codec.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"
#include "harness/store/select_parts.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int ancestor_limit = 1000;
constexpr int unknown_distance = std::numeric_limits<int>::max();  // sorts last

bool is_wanted(const std::string& id, const Wanted& wanted) {
  if (id == wanted.not_id) return false;
  return wanted.among.empty() ||
         std::find(wanted.among.begin(), wanted.among.end(), id) != wanted.among.end();
}

// Complete, clean and no calibration, the newest first; without what only counting results tells.
Result<std::vector<RunInfo>> runs_of(Store& store, const Wanted& wanted) {
  RunQuery query;
  if (!wanted.suite.empty()) query.suite = wanted.suite;
  if (!wanted.machine_class.empty()) query.machine_class = wanted.machine_class;
  query.state = RunState::complete;
  query.dirty = false;
  query.calibration = false;
  query.count_results = false;
  return store.list(query);
}

// Runs of the start's own commit, where it is on the branch itself, were begun before the current one: a
// second run is compared with the first.
std::vector<const RunInfo*> runs_before_current(const std::vector<RunInfo>& newest_first,
                                                const std::string& commit, const Wanted& wanted) {
  std::vector<const RunInfo*> found;
  for (const RunInfo& run : newest_first) {
    if (run.id == wanted.not_id) found.clear();
    if (run.revision.commit == commit && is_wanted(run.id, wanted)) found.push_back(&run);
  }
  return found;
}

RunInfo run_of(const Record& record) {
  RunInfo run;
  run.id = record.id;
  run.revision = record.revision;
  run.partial = record.partial;
  if (const Machine* machine = primary_machine(record)) {
    run.machine_class = machine->machine_class;
    run.device_uuid = machine->device_uuid;
  }
  return run;
}

Result<std::optional<Pinned>> find_pinned(const Start& start, const Wanted& wanted, const fs::path& folder) {
  if (!check_baseline_name("machine class", wanted.machine_class) ||
      !check_baseline_name("suite", wanted.suite))
    return std::nullopt;
  const std::string path = baseline_path("baselines", wanted.machine_class, wanted.suite).string();
  const Result<std::string> text = file_at(folder, start.commit, "./" + path);
  if (!text && text.error().kind == ErrorKind::missing) return std::nullopt;
  if (!text) return fail(text.error());
  Result<Record> record = decode_record(*text, fmt::format("{} at {}", path, short_hash(start.commit)));
  if (!record) return fail(record.error());
  if (!is_wanted(record->id, wanted)) return std::nullopt;
  return Pinned{std::move(*record), path};
}

// The pin counts as of the commit that it measured: behind stored records of that commit.
void add_pinned(Candidates& candidates, const std::unordered_map<std::string, int>& distances) {
  const Record& record = candidates.pinned->record;
  const auto known = distances.find(record.revision.commit);
  const Candidate pin{run_of(record), known == distances.end() ? unknown_distance : known->second, &record};
  const auto behind =
      std::find_if(candidates.all.begin(), candidates.all.end(),
                   [&](const Candidate& candidate) { return candidate.distance > pin.distance; });
  candidates.all.insert(behind, pin);
}

}  // namespace

std::string Start::text() const {
  return fork.empty() ? printable(name)
                      : fmt::format("merge base of {} and {}", printable(name), short_hash(fork));
}

Result<Start> find_start(const std::string& name, const std::string& asked, const Revision& revision,
                         const fs::path& folder) {
  if (revision.commit.empty() || !resolve_revision(folder, revision.commit))
    return Start{asked, name, {}, true};
  const Result<std::string> base = merge_base(folder, asked, revision.commit);
  if (!base) return fail(base.error());
  return Start{*base, name, revision.commit, *base != revision.commit || revision.dirty};
}

Wanted wanted_from(const Selected& current, const SelectOptions& options) {
  const Machine* machine = primary_machine(current.record);
  Wanted wanted{options.suite, options.machine_class, options.device_uuid, current.record.id, options.among};
  if (wanted.suite.empty()) wanted.suite = current.record.suite.name;
  if (machine == nullptr) return wanted;
  if (wanted.machine_class.empty()) wanted.machine_class = machine->machine_class;
  if (wanted.device_uuid.empty()) wanted.device_uuid = machine->device_uuid;
  return wanted;
}

Result<Candidates> candidates_of(Store& store, const Start& start, const Wanted& wanted,
                                 const fs::path& folder) {
  auto runs = runs_of(store, wanted);
  if (!runs) return fail(runs.error());
  const std::vector<RunInfo> newest_first = *runs;
  whole_runs_first(*runs);
  std::unordered_map<std::string, std::vector<const RunInfo*>> by_commit;
  for (const RunInfo& run : *runs)
    if (is_wanted(run.id, wanted)) by_commit[run.revision.commit].push_back(&run);
  const auto line = ancestors(folder, start.commit, ancestor_limit);
  if (!line) return fail(line.error());
  Candidates candidates;
  std::unordered_map<std::string, int> distances;
  for (const Ancestor& ancestor : *line) {
    distances.emplace(ancestor.commit, ancestor.distance);
    if (ancestor.distance == 0 && !start.itself) continue;
    for (const RunInfo* run : by_commit[ancestor.commit]) candidates.all.push_back({*run, ancestor.distance});
  }
  Result<std::optional<Pinned>> pinned = find_pinned(start, wanted, folder);
  if (!pinned) candidates.pin_error = pinned.error();
  if (pinned && *pinned) {
    candidates.pinned = std::make_shared<const Pinned>(std::move(**pinned));
    add_pinned(candidates, distances);
  }
  candidates.ancestors = candidates.all.size();
  if (!start.itself)
    for (const RunInfo* run : runs_before_current(newest_first, start.commit, wanted))
      candidates.all.push_back({*run, 0});
  return candidates;
}

}  // namespace harness
