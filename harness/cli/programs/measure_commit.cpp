#include "harness/cli/programs/measure_commit.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/cli/programs/run_logged.h"
#include "harness/cli/provenance/build_commit.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/model/codec.h"
#include "harness/store/baselines.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

BisectSide cannot(std::string why) {
  BisectSide side;
  side.why_not = std::move(why);
  return side;
}

BisectSide interrupted() {
  BisectSide side;
  side.interrupted = true;
  return side;
}

int fewest_processes(const Record& record, const std::string& pattern) {
  int fewest = -1;
  for (const CaseRecord& one : record.cases) {
    if (one.outcome != Outcome::measured || (!pattern.empty() && !wildcard_match(pattern, one.id))) continue;
    for (const Series& series : one.series) {
      const int count = static_cast<int>(series.processes.size());
      fewest = fewest < 0 ? count : std::min(fewest, count);
    }
  }
  return fewest;
}

}  // namespace

Result<std::optional<Record>> BisectMeasurer::stored(const std::string& commit,
                                                     const std::string& device_uuid, int processes) {
  RunQuery query;
  query.suite = how_.suite;
  query.commit = commit;
  query.state = RunState::complete;
  query.dirty = false;
  query.calibration = false;
  auto runs = store_.list(query);
  if (!runs) return fail(runs.error());
  std::stable_partition(runs->begin(), runs->end(),
                        [&](const RunInfo& run) { return run.device_uuid == device_uuid; });
  for (const RunInfo& run : *runs) {
    if (run.failures > 0) continue;
    Result<Record> record = store_.load(run.id);
    if (!record) return fail(record.error());
    if (fewest_processes(*record, how_.pattern) >= std::max(processes, 1)) return std::move(*record);
  }
  return std::nullopt;
}

Result<BisectSide> BisectMeasurer::measure(const std::string& commit, int processes) {
  if (!worktree_) {
    Result<Worktree> made = Worktree::add(".", "bisect", commit);
    if (!made) return fail(made.error());
    worktree_.emplace(std::move(*made));
  }
  if (InterruptGuard::interrupted()) return interrupted();
  if (built_ != commit) {
    built_.clear();
    if (const Status out = worktree_->check_out(commit); !out) return cannot(out.error().message);
    const Result<Build> build =
        how_.build.empty() ? Build{} : build_commit(*worktree_, how_.build, commit.substr(0, 10));
    if (!build) return fail(build.error());
    if (build->interrupted) return interrupted();
    if (!build->why_not.empty()) return cannot(build->why_not);
    built_ = commit;
  }
  return run_suite(commit, processes);
}

// The build's own program measures where there is one, so that an older commit is measured as it was then;
// else this program does, with the build's plugin. The run has a store of its own, because an older program
// may not know this one's format. The record comes over as a file.
Result<BisectSide> BisectMeasurer::run_suite(const std::string& commit, int processes) {
  const fs::path& root = worktree_->path();
  std::error_code code;
  if (!fs::exists(root / how_.suite_file, code))
    return cannot(fmt::format("it has no {}", printable(how_.suite_file)));
  const TemporaryFolder scratch;
  const fs::path output = scratch.path() / "record.json";
  Command command;
  command.folder = root / how_.folder;
  command.argv = {program_of(*worktree_).string(),
                  "run",
                  fs::path(how_.suite_file).lexically_relative(how_.folder).string(),
                  "--quiet",
                  "--store",
                  (scratch.path() / "results.db").string(),
                  "--output",
                  output.string()};
  if (!how_.pattern.empty()) command.argv.insert(command.argv.end(), {"--filter", how_.pattern});
  if (!how_.device.empty()) command.argv.insert(command.argv.end(), {"--device", how_.device});
  if (processes > 0) command.argv.insert(command.argv.end(), {"--processes", fmt::format("{}", processes)});
  fmt::print(stderr, "{}: measuring{}\n", commit.substr(0, 10),
             processes > 0 ? fmt::format(" {} processes", processes) : "");
  const fs::path log = scratch.path() / "log";
  const auto exit = run_logged(command, log);
  if (!exit) return fail(exit.error());
  if (!*exit) return interrupted();
  if (!(*exit)->ok()) return cannot(fmt::format("measuring failed: {}: {}", (*exit)->text(), tail_of(log)));
  const Result<std::string> text = read_file(output);
  if (!text) return cannot("measuring left no record");
  Result<Record> record = decode_record(*text, "the record of " + commit.substr(0, 10));
  if (!record) return cannot(record.error().message);
  if (record->revision.commit != commit || record->revision.dirty)
    return cannot("its build changes files that git tracks, so that the record is not of this commit");
  if (const Status kept = store_.put_record(*record); !kept) return fail(kept.error());
  BisectSide side;
  side.record = std::move(*record);
  return side;
}

}  // namespace harness
