// Build cache: the program and the modules of commits that were built before. They lie in .harness/builds/ of
// the repository, one folder a commit and build command. So the base commit of many A/B runs is built once.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/store/worktree.h"

namespace harness {

inline constexpr int most_kept_builds = 6;  // the oldest go first

// Puts the build that this command made of this commit where the command would, in the worktree. False: it is
// not kept.
bool restore_build(const Worktree& worktree, const std::string& commit, const std::string& command);

// Keeps the worktree's build, where it made a program. A build that cannot be kept is no error: it is made
// again.
void keep_build(const Worktree& worktree, const std::string& commit, const std::string& command);

}  // namespace harness
