#include "harness/cli/affected/affected_side.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/text.h"
#include "harness/cli/provenance/build_cache.h"
#include "harness/cli/provenance/build_commit.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// Where a build leaves its program; else the worktree itself.
fs::path build_folder(const Worktree& worktree) {
  const fs::path program = worktree.path() / built_program;
  std::error_code code;
  return fs::exists(program, code) ? program.parent_path().parent_path() : worktree.path();
}

Result<std::optional<AffectedSide>> built_side(const std::string& role, const std::string& name,
                                               const std::string& commit, const std::string& build) {
  Result<Worktree> worktree = Worktree::add(".", "affected-" + role, commit);
  if (!worktree) return fail(worktree.error());
  AffectedSide side{fmt::format("{} ({})", printable(name), commit.substr(0, 10)), {}, std::move(*worktree)};
  const std::string what = fmt::format("{} {}", role, side.told);
  if (!restore_build(*side.worktree, commit, build)) {
    const Result<Build> made = build_commit(*side.worktree, build, what);
    if (!made) return fail(made.error());
    if (made->interrupted) return std::nullopt;
    if (!made->why_not.empty())
      return fail(ErrorKind::usage, fmt::format("{}: {}", what, made->why_not),
                  "name another command with --build, or folders with finished builds");
    keep_build(*side.worktree, commit, build);
  }
  side.build = build_folder(*side.worktree);
  return std::optional(std::move(side));
}

}  // namespace

bool is_path(const std::string& name) {
  std::error_code code;
  return fs::exists(name, code);
}

Result<std::optional<AffectedSide>> affected_side(const std::string& role, const std::string& name,
                                                  const std::string& build) {
  const Result<std::string> commit = commit_of_option(("--" + role).c_str(), name);
  if (commit && !is_path(name)) return built_side(role, name, *commit, build);
  if (is_path(name)) return AffectedSide{name, name};
  return fail(commit.error());
}

}  // namespace harness
