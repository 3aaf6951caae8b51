// Building a commit in a worktree, for commands that measure commits which are not checked out.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.h"
#include "harness/store/worktree.h"
#include "harness/suite/suite.h"

namespace harness {

inline constexpr const char* default_build = "ci/bootstrap.sh";
inline constexpr const char* built_program = "build/release/bin/harness";  // where a build is to leave it

struct Build {
  bool interrupted = false;  // by Ctrl-C
  std::string why_not;       // how the command failed, with the end of its log; "": it is built
};

// Runs a shell command in the worktree and reports it on standard error as `what`. ccache takes paths in the
// worktree as relative, so a commit that was built in another worktree is not compiled again. Values that the
// user set win.
Result<Build> build_commit(const Worktree& worktree, const std::string& command, const std::string& what);

// The shell command that builds a commit for this suite, run at the root of its worktree: the suite's own, or
// `otherwise` where cases need one; then that of each program in its folder. `suite_folder`: of the suite,
// seen from the root. "": nothing is built.
std::string build_command(const Suite& suite, const std::filesystem::path& suite_folder,
                          const std::string& otherwise);

// The program that the build made, or this one where the build makes only a plugin.
std::filesystem::path program_of(const Worktree& worktree);

}  // namespace harness
