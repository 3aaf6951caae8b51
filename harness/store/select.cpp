#include "harness/store/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "harness/store/git.h"
#include "harness/store/select_parts.h"

namespace harness {
namespace {

std::set<std::string> suites_among(const std::vector<RunInfo>& runs) {
  std::set<std::string> names;
  for (const RunInfo& run : runs) names.insert(run.suite);
  return names;
}

std::string suites_of(const std::vector<RunInfo>& runs) {
  std::vector<std::string> names;
  for (const std::string& name : suites_among(runs)) names.push_back(printable(name));
  return join(names, ", ");
}

// "; or name the newest that is there: 31f7d24b, of 690443de4e", or "" without one.
std::string or_the_newest(Store& store, const SelectOptions& options) {
  RunQuery query;
  query.state = RunState::complete;
  query.calibration = false;
  query.count_results = false;
  if (!options.suite.empty()) query.suite = options.suite;
  if (!options.machine_class.empty()) query.machine_class = options.machine_class;
  const auto runs = store.list(query);
  if (!runs || runs->empty()) return "";
  const RunInfo& newest = runs->front();
  const std::string& commit = newest.revision.commit;
  return fmt::format("; or name the newest that is there: {}{}", newest.id.substr(0, 8),
                     commit.empty() ? "" : ", of " + short_hash(commit));
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
      fmt::format("no complete record{} of {} ({}) in {}", suite, printable(name), short_hash(commit),
                  store.place()),
      {},
      fmt::format("measure it: check out {}, rebuild, and run `harness run SUITE`", short_hash(commit))};
  bool unfinished = false;
  bool other_suite = false;
  bool clean = false;
  for (const RunInfo& run : runs) {
    unfinished |=
        run.state != RunState::complete && run.state != RunState::farmed && run.revision.dirty == dirty;
    clean |= run.state == RunState::complete && !run.revision.dirty;
    other_suite |= !options.suite.empty() && run.suite != options.suite;
  }
  if (dirty) {
    error.message += ", with the uncommitted changes of this tree";
    error.advice = "measure the tree as it is: rebuild, and run `harness run SUITE`";
    if (clean)
      error.advice += fmt::format("; or name the commit, without its changes: {}", short_hash(commit));
  } else if (unfinished) {
    error.advice = "an interrupted run of it is in the store: finish it with `harness run SUITE --continue`";
  } else if (other_suite) {
    error.advice += fmt::format("; the store has it measured with: {}", suites_of(runs));
  }
  error.advice += or_the_newest(store, options);
  return error;
}

// How the changes that a record measured relate to those of the tree now, which has some.
const char* relation(const RunInfo& run, const Revision& tree) {
  if (run.revision.changes.empty() || tree.changes.empty()) return "unknown";
  return run.revision.changes == tree.changes ? "same" : "other";
}

// Records of the changes as they are now before others, then those of whole suites, then the newest.
void best_first(std::vector<RunInfo>& runs, const Revision& tree) {
  whole_runs_first(runs);
  if (!tree.changes.empty())
    std::stable_partition(runs.begin(), runs.end(),
                          [&](const RunInfo& run) { return run.revision.changes == tree.changes; });
}

// The complete records of a revision, newest first.
struct RevisionRuns {
  std::string commit;
  Revision tree;
  std::vector<RunInfo> runs;
};

Result<RevisionRuns> runs_of_revision(Store& store, const std::string& name, const std::string& commit,
                                      const SelectOptions& options) {
  RevisionRuns found{commit, means_working_tree(name) ? head_revision(folder_of(options)) : Revision{}, {}};
  RunQuery query;
  query.commit = commit;
  query.dirty = found.tree.dirty;
  query.state = RunState::complete;
  query.calibration = false;
  if (!options.suite.empty()) query.suite = options.suite;
  if (!options.machine_class.empty()) query.machine_class = options.machine_class;
  auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  if (runs->empty()) return fail(not_measured(store, name, commit, found.tree.dirty, options));
  found.runs = std::move(*runs);
  return found;
}

// The best of `found.runs`.
Result<Selected> select_best(Store& store, const std::string& name, RevisionRuns found) {
  best_first(found.runs, found.tree);
  Result<Record> record = store.load(found.runs.front().id);
  if (!record) return fail(record.error());
  Fact<SourceCode> source{SourceCode::revision, {{"name", name}}};
  if (found.tree.dirty) source.figures.emplace_back("changes", relation(found.runs.front(), found.tree));
  return make_selected(std::move(*record), std::move(source));
}

Result<Selected> select_revision(Store& store, const std::string& name, const std::string& commit,
                                 const SelectOptions& options) {
  Result<RevisionRuns> found = runs_of_revision(store, name, commit, options);
  if (!found) return fail(found.error());
  for (const RunInfo& run : found->runs)
    if (run.suite != found->runs.front().suite)
      return fail(ErrorKind::usage,
                  fmt::format("{} ({}) has records of several suites: {}", printable(name),
                              short_hash(commit), suites_of(found->runs)),
                  "name one with --suite");
  return select_best(store, name, std::move(*found));
}

// The record that a name means which is no revision.
std::optional<Result<Selected>> select_record(Store& store, const std::string& name,
                                              const SelectOptions& options) {
  if (auto named = select_certain(store, name, SideKind::current, options)) return named;
  if (resolve_revision(folder_of(options), name)) return std::nullopt;
  return select_other(store, name, SideKind::current, options);
}

// Leaves of several suites those that `baseline` names a record of, if it names any.
Status keep_suites_of(Store& store, const std::string& baseline, const SelectOptions& options,
                      std::set<std::string>& suites) {
  if (suites.size() < 2 || baseline.empty()) return {};
  std::set<std::string> named;
  if (is_saved_name(baseline)) {
    Result<std::set<std::string>> known = suites_with_name(store, baseline);
    if (!known) return fail(known.error());
    named = std::move(*known);
  } else if (const auto one = select_record(store, baseline, {options.folder, "", "", ""}); one && *one) {
    named = {(*one)->record.suite.name};
  }
  std::erase_if(named, [&](const std::string& suite) { return !suites.contains(suite); });
  if (!named.empty()) suites = std::move(named);
  return {};
}

// One side for each suite.
template <class Select>
Result<std::vector<Selected>> sides_of(Store& store, std::set<std::string> suites,
                                       const std::string& baseline, const SelectOptions& options,
                                       const Select& select) {
  if (const Status kept = keep_suites_of(store, baseline, options, suites); !kept) return fail(kept.error());
  std::vector<Selected> sides;
  for (const std::string& suite : suites) {
    Result<Selected> side = select(suite);
    if (!side) return fail(side.error());
    sides.push_back(std::move(*side));
  }
  return sides;
}

}  // namespace

Result<Selected> select_stored(Store& store, const std::string& id) {
  Result<Record> record = store.load(id);
  if (!record) return fail(record.error());
  return make_selected(std::move(*record), {SourceCode::this_run});
}

Result<Selected> select_current(Store& store, const std::string& name, const SelectOptions& options) {
  if (auto named = select_saved(store, name, SideKind::current, options)) return std::move(*named);
  if (auto named = select_certain(store, name, SideKind::current, options)) return std::move(*named);
  const Result<std::string> commit = resolve_revision(folder_of(options), name);
  if (commit) return select_revision(store, name, *commit, options);
  if (auto named = select_other(store, name, SideKind::current, options)) return std::move(*named);
  return fail(no_side(name, commit.error()));
}

Result<std::vector<Selected>> select_current_of_suites(Store& store, const std::string& name,
                                                       const std::string& baseline,
                                                       const SelectOptions& options) {
  if (options.suite.empty() && is_saved_name(name)) {
    const Result<std::set<std::string>> suites = suites_with_name(store, name);
    if (!suites) return fail(suites.error());
    return sides_of(store, *suites, baseline, options, [&](const std::string& suite) {
      SelectOptions own = options;
      own.suite = suite;
      return select_current(store, name, own);
    });
  }
  const Result<std::string> commit = resolve_revision(folder_of(options), name);
  if (!commit || !options.suite.empty() || select_certain(store, name, SideKind::current, options)) {
    Result<Selected> one = select_current(store, name, options);
    if (!one) return fail(one.error());
    std::vector<Selected> sides;
    sides.push_back(std::move(*one));
    return sides;
  }
  const Result<RevisionRuns> found = runs_of_revision(store, name, *commit, options);
  if (!found) return fail(found.error());
  return sides_of(store, suites_among(found->runs), baseline, options, [&](const std::string& suite) {
    RevisionRuns own = *found;
    std::erase_if(own.runs, [&](const RunInfo& run) { return run.suite != suite; });
    return select_best(store, name, std::move(own));
  });
}

}  // namespace harness
