#include "harness/cli/ab/ab_sides.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/process.h"
#include "harness/cli/programs/command_suite.h"
#include "harness/cli/provenance/build_commit.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

Result<AbOptions> options_of(const AbRequest& request) {
  const Checked<Suite> suite = load_repository_suite(request.plan.suite);
  if (!suite) return fail(suite.error().front());
  const std::optional<fs::path> root = repository_root(".");
  if (!root) return fail(ErrorKind::usage, "this repository has no working tree", "run inside a checkout");
  std::error_code code;
  const auto below_root = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path), code).lexically_relative(*root);
  };
  // A suite's own modules may lie anywhere in the tree.
  const bool keep_builds =
      suite->modules.empty() && suite->programs.empty() && request.plan.modules.files.empty();
  AbOptions options{request.plan, request.build, keep_builds, below_root(request.plan.suite),
                    below_root(fs::current_path())};
  if (options.suite_file.empty() || *options.suite_file.begin() == "..")
    return fail(ErrorKind::usage, Location{request.plan.suite}, "lies outside the repository",
                "a suite is checked out with each commit; put it into the repository");
  if (options.build.empty())
    options.build = build_command(*suite, options.suite_file.parent_path(), default_build);
  return options;
}

Checked<std::optional<AbSides>> sides_of_commits(const AbRequest& request, const AbOptions& options) {
  const Result<std::string> before = commit_of_option("--baseline", request.baseline);
  if (!before) return fail_checked(before.error());
  const Result<std::string> after = commit_of_option("--current", request.current);
  if (!after) return fail_checked(after.error());
  if (request.current == "HEAD" && head_revision(".").dirty)
    fmt::print(stderr, "warning: A/B measures commits; the uncommitted changes here are not measured\n");
  Result<AbSide> baseline = make_side("baseline", request.baseline, *before);
  if (!baseline) return fail_checked(baseline.error());
  Result<AbSide> current = make_side("current", request.current, *after);
  if (!current) return fail_checked(current.error());
  std::vector<Error> errors;
  for (AbSide* side : {&*baseline, &*current}) {
    const Result<bool> ready = ready_side(*side, options);
    if (!ready)
      errors.push_back(ready.error());
    else if (!*ready)
      return std::nullopt;
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  agree_on_sampling(baseline->prepared.plan, current->prepared.plan, request.accept_proposed);
  return AbSides{std::move(*baseline), std::move(*current)};
}

// Git is not needed, and both sides use the suite in the working tree.
Checked<std::optional<AbSides>> sides_of_folders(const AbRequest& request) {
  const Checked<Suite> suite = load_repository_suite(request.plan.suite);
  if (!suite) return tl::unexpected(suite.error());  // both builds would report it
  if (!suite->programs.empty())
    return fail_checked({ErrorKind::usage, "a build folder is of kernels, and this suite has programs",
                         suite->programs.front().where, "compare commits with --baseline and --current"});
  std::vector<Error> errors;
  Result<AbSide> baseline = side_built_before("baseline", request.baseline_build);
  Result<AbSide> current = side_built_before("current", request.current_build);
  for (Result<AbSide>* side : {&baseline, &current}) {
    if (!*side) {
      errors.push_back(side->error());
      continue;
    }
    const Result<bool> ready = ready_side_built_before(**side, request.plan);
    if (!ready)
      errors.push_back(ready.error());
    else if (!*ready)
      return std::nullopt;
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  agree_on_sampling(baseline->prepared.plan, current->prepared.plan, request.accept_proposed);
  return AbSides{std::move(*baseline), std::move(*current)};
}

// The tree that is checked out here, measured by this program.
AbSide side_here(const Prepared& here, const std::string& suite) {
  const Revision revision = head_revision(".");
  AbSide side{"current", "HEAD", revision.commit};
  side.root = repository_root(".").value_or(fs::current_path());
  side.folder = fs::current_path();
  side.suite = suite;
  side.program = this_program();
  side.prepared = here;
  side.here = revision;
  return side;
}

}  // namespace

Checked<std::optional<AbSides>> sides_of_commands(const SuiteOptions& options, const std::string& baseline,
                                                  const std::string& current) {
  AbSides sides{{"baseline", baseline, {}}, {"current", current, {}}};
  const Revision here = head_revision(".");
  for (AbSide* side : {&sides.baseline, &sides.current}) {
    Checked<Prepared> prepared = prepare(suite_of_command({"/bin/sh", "-c", side->revision}), options);
    if (!prepared) return tl::unexpected(prepared.error());
    side->root = side->folder = fs::current_path();
    side->program = this_program();
    side->prepared = std::move(*prepared);
    side->here = here;
  }
  return sides;
}

std::string build_of(const AbRequest& request) {
  if (!request.build.empty()) return request.build;
  const Checked<Suite> suite = load_repository_suite(request.plan.suite);
  return suite ? build_command(*suite, fs::path(request.plan.suite).parent_path(), "") : std::string();
}

Checked<std::optional<AbSides>> sides_beside(const AbRequest& request, const std::string& base,
                                             const Prepared& here) {
  const Result<AbOptions> options = options_of(request);
  if (!options) return fail_checked(options.error());
  if (const auto root = repository_root(".")) remove_stale_worktrees(*root);
  Result<AbSide> baseline = make_side("baseline", request.baseline, base);
  if (!baseline) return fail_checked(baseline.error());
  const Result<bool> ready = ready_side(*baseline, *options);
  if (!ready) return fail_checked(ready.error());
  if (!*ready) return std::nullopt;
  AbSides sides{std::move(*baseline), side_here(here, request.plan.suite)};
  agree_on_sampling(sides.baseline.prepared.plan, sides.current.prepared.plan, request.accept_proposed);
  return sides;
}

Checked<std::optional<AbSides>> make_sides(const AbRequest& request) {
  if (request.built_before()) return sides_of_folders(request);
  const Result<AbOptions> options = options_of(request);
  if (!options) return fail_checked(options.error());
  if (const auto root = repository_root(".")) remove_stale_worktrees(*root);
  return sides_of_commits(request, *options);
}

Prepared devices_of_both(const AbSides& sides) {
  const Prepared &baseline = sides.baseline.prepared, &current = sides.current.prepared;
  Prepared both{current, {current.plan.suite, {}, {}}, current.facts, current.ending};
  std::set<std::pair<std::string_view, int>> seen;
  for (const Prepared* side : {&current, &baseline})
    for (const PlannedCase& one : side->plan.cases)
      if (!one.skip && seen.emplace(one.device, one.gpus).second) both.plan.cases.push_back(one);
  both.devices.insert(baseline.devices.begin(), baseline.devices.end());
  both.identities.insert(baseline.identities.begin(), baseline.identities.end());
  return both;
}

Result<std::optional<PairedBuilds>> choose_pairing(const AbSides& sides, PairMode mode, LoadedPairs& loaded) {
  const Status turns = can_take_turns(sides.baseline, sides.current);
  const bool programs =
      has_programs(sides.baseline.prepared.plan) || has_programs(sides.current.prepared.plan);
  if (programs && mode == PairMode::process)
    return fail(ErrorKind::usage, "--pair process: a program is a process of its own",
                "leave the option out, or choose the other cases with --filter");
  if (programs || mode == PairMode::session) {
    if (!turns) return fail(turns.error());
    return std::nullopt;
  }
  Result<PairedBuilds> pair = pair_of(sides.baseline, sides.current, loaded);
  if (pair) return std::optional<PairedBuilds>(std::move(*pair));
  if (mode == PairMode::process || !turns)
    return fail(pair.error().kind, pair.error().where,
                (turns ? "--pair process: " : "") +
                    ("both builds cannot be measured in one process: " + pair.error().message),
                pair.error().advice);
  if (InterruptGuard::interrupted()) return std::nullopt;
  const std::string where = to_string(pair.error().where);
  fmt::print(stderr, "measuring in processes that take turns, not in one process: {}{}{}\n", where,
             where.empty() ? "" : ": ", pair.error().message);
  return std::nullopt;
}

}  // namespace harness
