#include "harness/store/select.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/codec.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int ancestor_limit = 1000;

std::string short_hash(const std::string& commit) {
  return commit.substr(0, 10);
}

fs::path folder_of(const SelectOptions& options) {
  return options.folder.empty() ? "." : options.folder;
}

std::string device_of(const Record& record) {
  const Machine* machine = primary_machine(record);
  if (machine == nullptr) return {};
  return std::string(trim(machine->machine_class + " " + machine->device_uuid));
}

Selected selected(Record record, std::string described, int distance = 0) {
  RecordSource source{record.id, std::move(described), record.revision, device_of(record), distance};
  return {std::move(record), std::move(source)};
}

Result<Selected> select_file(const fs::path& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return fail(text.error());
  Result<Record> record = decode_record(*text, path.string());
  if (!record) return fail(record.error());
  return selected(std::move(*record), "file " + path.string());
}

// A name that ends in .json is a file; anything else is a file only when it is no revision.
bool is_file_name(const std::string& name) {
  return name.ends_with(".json");
}

bool exists(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

bool means_working_tree(const std::string& name) {
  return name == "HEAD" || name == "@";
}

std::string suites_of(const std::vector<RunInfo>& runs) {
  std::set<std::string> names;
  for (const RunInfo& run : runs) names.insert(printable(run.suite));
  const std::vector<std::string> sorted(names.begin(), names.end());
  return join(sorted, ", ");
}

// Why a revision that was asked for has no complete record.
Error not_measured(Store& store, const std::string& name, const std::string& commit, bool dirty,
                   const SelectOptions& options) {
  RunQuery query;
  query.commit = commit;
  const auto runs = store.list(query).value_or(std::vector<RunInfo>{});
  const std::string suite =
      options.suite.empty() ? "" : fmt::format(" of suite `{}`", printable(options.suite));
  Error error{
      ErrorKind::missing,
      fmt::format("no complete record{} of {} ({})", suite, printable(name), short_hash(commit)),
      {},
      fmt::format("measure it: `git checkout {}`, then `harness run SUITE.yaml`", short_hash(commit))};
  bool unfinished = false;
  bool other_suite = false;
  bool clean = false;
  for (const RunInfo& run : runs) {
    unfinished |= run.state != RunState::complete && run.revision.dirty == dirty;
    clean |= run.state == RunState::complete && !run.revision.dirty;
    other_suite |= !options.suite.empty() && run.suite != options.suite;
  }
  if (dirty) {
    error.message += " with the uncommitted changes of this tree";
    error.advice = "measure the tree as it is: `harness run SUITE.yaml`";
    if (clean)
      error.advice +=
          fmt::format("; or judge the commit without the changes: --current {}", short_hash(commit));
  } else if (unfinished) {
    error.advice =
        "an interrupted run of it is in the store: finish it with `harness run SUITE.yaml --continue`";
  } else if (other_suite) {
    error.advice += fmt::format("; the store has it measured with: {}", suites_of(runs));
  }
  return error;
}

Result<Selected> select_revision(Store& store, const std::string& name, const std::string& commit,
                                 const SelectOptions& options) {
  const bool dirty = means_working_tree(name) && head_revision(folder_of(options)).dirty;
  RunQuery query;
  query.commit = commit;
  query.dirty = dirty;
  query.state = RunState::complete;
  if (!options.suite.empty()) query.suite = options.suite;
  if (!options.machine_class.empty()) query.machine_class = options.machine_class;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  if (runs->empty()) return fail(not_measured(store, name, commit, dirty, options));
  for (const RunInfo& run : *runs)
    if (run.suite != runs->front().suite)
      return fail(ErrorKind::usage,
                  fmt::format("{} ({}) has records of several suites: {}", printable(name),
                              short_hash(commit), suites_of(*runs)),
                  "name one with --suite");
  Result<Record> record = store.load(runs->front().id);
  if (!record) return fail(record.error());
  return selected(std::move(*record), fmt::format("{} ({}{})", short_hash(commit), printable(name),
                                                  dirty ? ", with uncommitted changes" : ""));
}

// Where the search for a baseline starts.
struct Start {
  std::string commit;
  std::string described;  // "merge base of main and 89abcdef01", "main"
  bool itself = true;     // whether a record of this very commit will do
};

// The merge base; or the named revision itself when the current record's commit is not in this
// repository.
Result<Start> find_start(const std::string& name, const Selected& current, const fs::path& folder) {
  const Result<std::string> asked = resolve_revision(folder, name);
  if (!asked) return fail(asked.error());
  const Revision& revision = current.record.revision;
  if (revision.commit.empty() || !resolve_revision(folder, revision.commit))
    return Start{*asked, printable(name), true};
  const Result<std::string> base = merge_base(folder, *asked, revision.commit);
  if (!base) return fail(base.error());
  return Start{*base, fmt::format("merge base of {} and {}", printable(name), short_hash(revision.commit)),
               *base != revision.commit || revision.dirty};
}

std::string describe(const Ancestor& found, const Start& start) {
  if (found.distance == 0) return fmt::format("{} ({})", short_hash(found.commit), start.described);
  return fmt::format("{} ({} commit{} before the {})", short_hash(found.commit), found.distance,
                     found.distance == 1 ? "" : "s", start.described);
}

struct Wanted {
  std::string suite;
  std::string machine_class;
  std::string device_uuid;
};

Wanted wanted_from(const Selected& current, const SelectOptions& options) {
  const Machine* machine = primary_machine(current.record);
  Wanted wanted{options.suite, options.machine_class, options.device_uuid};
  if (wanted.suite.empty()) wanted.suite = current.record.suite.name;
  if (machine == nullptr) return wanted;
  if (wanted.machine_class.empty()) wanted.machine_class = machine->machine_class;
  if (wanted.device_uuid.empty()) wanted.device_uuid = machine->device_uuid;
  return wanted;
}

// The nearest measured ancestor; one measured on the same device comes before a nearer one that was
// measured on another, because the two could not be compared.
Result<std::optional<Selected>> nearest_measured(Store& store, const Start& start, const Wanted& wanted,
                                                 const fs::path& folder) {
  RunQuery query;
  query.suite = wanted.suite;
  if (!wanted.machine_class.empty()) query.machine_class = wanted.machine_class;
  query.state = RunState::complete;
  query.dirty = false;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  if (runs->empty()) return std::nullopt;
  std::map<std::string, const RunInfo*> any;
  std::map<std::string, const RunInfo*> same_device;
  for (const RunInfo& run : *runs) {  // newest first
    any.emplace(run.revision.commit, &run);
    if (run.device_uuid == wanted.device_uuid) same_device.emplace(run.revision.commit, &run);
  }
  const auto line = ancestors(folder, start.commit, ancestor_limit);
  if (!line) return fail(line.error());
  for (const auto* measured : {&same_device, &any})
    for (const Ancestor& ancestor : *line) {
      const auto found = measured->find(ancestor.commit);
      if (found == measured->end() || (ancestor.distance == 0 && !start.itself)) continue;
      Result<Record> record = store.load(found->second->id);
      if (!record) return fail(record.error());
      return selected(std::move(*record), describe(ancestor, start), ancestor.distance);
    }
  return std::nullopt;
}

Result<std::optional<Selected>> pinned(const Start& start, const Wanted& wanted, const fs::path& folder) {
  if (!check_baseline_name("machine class", wanted.machine_class) ||
      !check_baseline_name("suite", wanted.suite))
    return std::nullopt;
  const std::string path = baseline_path("baselines", wanted.machine_class, wanted.suite).string();
  const Result<std::string> text = file_at(folder, start.commit, "./" + path);
  if (!text && text.error().kind == ErrorKind::missing) return std::nullopt;
  if (!text) return fail(text.error());
  const std::string place = fmt::format("{} at {}", path, short_hash(start.commit));
  Result<Record> record = decode_record(*text, place);
  if (!record) return fail(record.error());
  return selected(std::move(*record), fmt::format("pinned {} ({})", place, start.described));
}

Error no_baseline(const Start& start, const Wanted& wanted, const Selected& current, const fs::path& folder) {
  const std::string file =
      current.record.suite.file.empty() ? "SUITE.yaml" : printable(current.record.suite.file);
  Error error{
      ErrorKind::missing,
      fmt::format("no record of suite `{}` on {} at {} ({}) or before it, and none pinned there",
                  printable(wanted.suite),
                  wanted.machine_class.empty() ? "this machine" : printable(wanted.machine_class),
                  short_hash(start.commit), start.described),
      {},
      fmt::format("measure it: `git checkout {}`, then `harness run {}`; or pin one: `harness baseline "
                  "promote`",
                  short_hash(start.commit), file)};
  if (is_shallow(folder))
    error.advice += "; this clone is shallow, older records may fit once `git fetch --unshallow` has run";
  return error;
}

}  // namespace

Result<Selected> select_stored(Store& store, const std::string& id) {
  Result<Record> record = store.load(id);
  if (!record) return fail(record.error());
  return selected(std::move(*record), "this run");
}

Result<Selected> select_current(Store& store, const std::string& name, const SelectOptions& options) {
  if (is_file_name(name)) return select_file(name);
  const Result<std::string> commit = resolve_revision(folder_of(options), name);
  if (commit) return select_revision(store, name, *commit, options);
  if (exists(name)) return select_file(name);
  return fail(commit.error());
}

Result<Selected> select_baseline(Store& store, const std::string& name, const Selected& current,
                                 const SelectOptions& options) {
  if (is_file_name(name)) return select_file(name);
  const fs::path folder = folder_of(options);
  const Result<Start> start = find_start(name, current, folder);
  if (!start && exists(name)) return select_file(name);
  if (!start) return fail(start.error());
  const Wanted wanted = wanted_from(current, options);
  Result<std::optional<Selected>> found = nearest_measured(store, *start, wanted, folder);
  if (found && !*found) found = pinned(*start, wanted, folder);
  if (!found) return fail(found.error());
  if (!*found) return fail(no_baseline(*start, wanted, current, folder));
  return std::move(**found);
}

}  // namespace harness
