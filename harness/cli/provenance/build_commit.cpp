#include "harness/cli/provenance/build_commit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/cli/output/build_progress.h"
#include "harness/cli/programs/run_logged.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

void set_unless_set(Command& command, const char* name, const std::string& value) {
  if (environment::find(name) == nullptr) command.environment[name] = value;
}

}  // namespace

Result<Build> build_commit(const Worktree& worktree, const std::string& command, const std::string& what) {
  Command shell{{"/bin/sh", "-c", command}, worktree.path(), {}};
  set_unless_set(shell, "CCACHE_BASEDIR", worktree.path().string());
  set_unless_set(shell, "CCACHE_NOHASHDIR", "1");
  const fs::path log = worktree.path() / ".harness-build.log";  // untracked, and gone with the worktree
  BuildProgress progress(what);
  const auto exit = run_logged(shell, log, [&](Seconds elapsed) { progress.at(elapsed); });
  if (exit && *exit && (*exit)->ok())
    progress.built();
  else
    progress.failed();
  const std::string said = tail_of(log);
  std::error_code code;
  fs::remove(log, code);
  if (!exit) return fail(exit.error());
  if (!*exit) return Build{true, {}};
  if ((*exit)->ok()) return Build{};
  return Build{false,
               fmt::format("the build failed: {}{}{}", (*exit)->text(), said.empty() ? "" : ": ", said)};
}

std::string build_command(const Suite& suite, const fs::path& suite_folder, const std::string& otherwise) {
  std::vector<std::string> parts;
  const std::string own = suite.build.empty() && !suite.groups.empty() ? otherwise : suite.build;
  if (!own.empty()) parts.push_back(own);
  for (const ProgramCase& program : suite.programs) {
    if (program.build.empty()) continue;
    const fs::path folder = (suite_folder / program.folder).lexically_normal();
    std::string part =
        fmt::format("(cd {} && {})", folder.empty() ? "." : shell_quoted(folder.string()), program.build);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  return join(parts, " && ");
}

fs::path program_of(const Worktree& worktree) {
  const fs::path own = worktree.path() / built_program;
  std::error_code code;
  return fs::exists(own, code) ? own : this_program();
}

}  // namespace harness
