#include "harness/cli/measuring/begin_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/programs/late_results.h"
#include "harness/cli/provenance/tool.h"
#include "harness/cli/provenance/unbuilt_programs.h"
#include "harness/store/git.h"

namespace harness {
namespace {

// The revision that is measured: the one that is checked out. Where the tree was carried without its
// repository (a container, a lab machine), it is the commit that the user names.
Result<Revision> measured_revision(const std::string& named, bool kept) {
  Revision revision = head_revision(".");
  if (named.empty() || named == revision.commit) {
    if (const Status usable = check_repository("."); kept && named.empty() && !usable)
      fmt::print(stderr, "warning: the record will have no revision: {}\n", usable.error().message);
    return revision;
  }
  const bool hexadecimal =
      named.size() == 40 && named.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hexadecimal)
    return fail(ErrorKind::usage, fmt::format("--commit: `{}` is not a full commit id", printable(named)),
                "give the 40 hexadecimal digits that `git rev-parse HEAD` prints");
  if (!revision.commit.empty())
    return fail(ErrorKind::usage,
                fmt::format("--commit {} is not what is checked out here: {}", named, revision.commit),
                "leave --commit out inside a repository");
  revision.commit = named;
  return revision;
}

constexpr std::string_view lock_begins = "harness-run-", lock_ends = ".lock";

// Locks are files on this host. A continued run on another host is recognised by its machine.
std::filesystem::path lock_path(const std::string& id) {
  return temporary_folder() / fmt::format("{}{}{}", lock_begins, id, lock_ends);
}

// Killed runs leave their files behind. Who holds one takes it away; a file of the last minute may be about
// to be held.
void remove_left_locks() {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_time_type recent = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary_folder(), code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(lock_begins) && name.ends_with(lock_ends) && entry.last_write_time(code) < recent)
        [[maybe_unused]]
      const Result<FileLock> held = FileLock::take(entry.path());
  }
}

Result<OpenRun> new_run(Store& store, const Plan& plan, const Revision& revision, bool partial) {
  OpenRun run;
  Record& record = run.record;
  record.id = random_uuid();
  record.tool = tool_of(plan);
  record.build = this_build(plan, revision);
  record.suite = plan.suite;
  record.revision = revision;
  record.partial = partial;
  record.started = utc_timestamp();
  for (const PlannedCase& planned : plan.cases) {
    CaseRecord& one = record.cases.emplace_back(planned_record(planned));
    if (planned.program) one.program->built = hash_of_built(*planned.program);
  }
  remove_left_locks();
  Result<FileLock> lock = FileLock::take(lock_path(record.id));
  if (!lock) return fail(lock.error());
  run.lock = std::move(*lock);
  if (const Status begun = store.begin(record); !begun) return fail(begun.error());
  return run;
}

// A record can only be continued with the same plan: the same cases and the same sampling.
Status check_same_plan(const Record& record, Plan plan, bool any_looks) {
  take_decisions(plan, record);
  plan = with_benchmarks(std::move(plan), record);
  bool same = record.cases.size() == plan.cases.size();
  for (std::size_t i = 0; same && i < plan.cases.size(); ++i)
    same = record.cases[i].id == plan.cases[i].id && record.cases[i].sampling == plan.cases[i].sampling &&
           (any_looks || record.cases[i].gate.looks == plan.cases[i].gate.looks);
  if (same) return {};
  return fail(ErrorKind::usage,
              "the unfinished run has other cases, sampling or looks than this command asks for",
              "repeat the options of the interrupted run, or leave --continue out");
}

// Cases that were spared were looked at with the launches of the build that began the record.
Status check_looks_hold(const Record& record, const Plan& plan) {
  const bool spared = std::any_of(record.cases.begin(), record.cases.end(),
                                  [](const CaseRecord& one) { return one.outcome == Outcome::looked_at; });
  if (!spared || record.build.empty() || record.build == this_build(plan, record.revision)) return {};
  return fail(
      ErrorKind::usage,
      "the unfinished run left out identical cases, and it was begun in another environment or folder, "
      "or with other variables",
      "continue it as it was begun, or leave --continue out");
}

Result<OpenRun> unfinished_run(Store& store, const Plan& plan, const Revision& revision, bool any_looks) {
  RunQuery query;
  query.suite = plan.suite.name;
  query.suite_hash = plan.suite.hash;
  query.commit = revision.commit;
  query.dirty = revision.dirty;
  query.calibration = false;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  for (const RunInfo& info : *runs) {
    if (info.state == RunState::complete || info.state == RunState::farmed) continue;
    Result<FileLock> lock = FileLock::take(lock_path(info.id));
    if (!lock)
      return fail(ErrorKind::usage, fmt::format("the unfinished run {} is still measuring", info.id),
                  "wait for it, or stop it first");
    LateResults late(store, info.id);
    if (const Status written = late.any() ? late.write() : Status(); !written) return fail(written.error());
    Result<Record> record = store.load(info.id);
    if (!record) return fail(record.error());
    if (record->revision != revision)
      return fail(ErrorKind::usage, "the tree has other uncommitted changes than the unfinished run measured",
                  "leave --continue out, and commit first if you want to continue runs");
    if (const Status same = check_same_plan(*record, plan, any_looks); !same) return fail(same.error());
    if (const Status same = check_same_tool(*record, plan); !same) return fail(same.error());
    if (const Status hold = check_looks_hold(*record, plan); !hold) return fail(hold.error());
    if (const Status kept = forget_another_build(store, *record, plan); !kept) return fail(kept.error());
    return OpenRun{std::move(*record), std::move(*lock)};
  }
  return fail(ErrorKind::missing,
              fmt::format("no unfinished run of suite `{}` at this revision", plan.suite.name),
              "run without --continue to start a new one; a changed suite or commit cannot be continued");
}

// "locked at 1485 MHz" or "not locked".
std::string clock_lock_of(const Machine& machine) {
  for (const MachineField& field : machine.fields)
    if (field.name == "clock_lock") return "locked at " + field.value;
  return "not locked";
}

}  // namespace

Status forget_another_build(Store& store, Record& record, const Plan& plan) {
  if (record.build.empty() || record.build == this_build(plan, record.revision)) return {};
  record.build.clear();
  return store.update_header(record);
}

Result<FileLock> lock_record(const std::string& id) {
  return FileLock::take(lock_path(id));
}

Result<OpenRun> begin_run(Store& store, const Plan& plan, const BeginOptions& options) {
  const Result<Revision> revision = measured_revision(options.commit, options.kept);
  if (!revision) return fail(revision.error());
  return options.resume ? unfinished_run(store, plan, *revision, options.any_looks)
                        : new_run(store, plan, *revision, options.partial);
}

Status check_same_machine(const Record& record, const std::string& kind, const Machine& machine) {
  const auto known = record.machines.find(kind);
  if (known == record.machines.end()) return {};
  const Machine& before = known->second;
  if (before.machine_class != machine.machine_class || before.device_uuid != machine.device_uuid)
    return fail(
        ErrorKind::not_comparable,
        fmt::format("the record to continue was measured on {} {}, and this is {} {}", before.machine_class,
                    before.device_uuid, machine.machine_class, machine.device_uuid),
        "continue on the machine where the run began, or leave --continue out");
  const std::string locked = clock_lock_of(before), now = clock_lock_of(machine);
  if (locked == now) return {};
  return fail(
      ErrorKind::not_comparable,
      fmt::format("the record to continue was measured with the SM clock {}, and now it is {}", locked, now),
      "give --lock-clocks as the run did that began the record");
}

std::set<std::pair<std::string, int>> measured_pairs(const Record& record) {
  std::set<std::pair<std::string, int>> pairs;
  for (const CaseRecord& one : record.cases)
    for (const ProcessResult& result : one.processes) pairs.emplace(one.id, result.process);
  return pairs;
}

}  // namespace harness
