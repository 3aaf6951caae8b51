// Building a commit in a worktree, for commands that measure commits which are not checked out.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.h"
#include "harness/store/worktree.h"

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

// The program that the build made, or this one where the build makes only a plugin.
std::filesystem::path program_of(const Worktree& worktree);

}  // namespace harness
