// Worktree: a checkout of another commit beside the user's tree, in .harness/worktrees/ of the repository.
// The destructor removes it; a build folder in it serves the next commit. The next add() removes the files of
// a killed program. One thread uses a Worktree.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/files.h"
#include "harness/base/result.h"

namespace harness {

class Worktree {
 public:
  // A worktree of the repository that holds `folder`, with `commit` checked out. `purpose` is part of its
  // name.
  static Result<Worktree> add(const std::filesystem::path& folder, const std::string& purpose,
                              const std::string& commit);

  Worktree(Worktree&& other) noexcept;
  Worktree& operator=(Worktree&&) = delete;
  Worktree(const Worktree&) = delete;
  Worktree& operator=(const Worktree&) = delete;
  ~Worktree();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Another commit. Changes of tracked files are dropped; what git ignores, such as a build folder, stays.
  Status check_out(const std::string& commit);

 private:
  Worktree(std::filesystem::path root, std::filesystem::path path, FileLock lock)
      : root_(std::move(root)), path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path root_;  // of the user's tree
  std::filesystem::path path_;  // "" once moved from
  FileLock lock_;               // shows others that its owner lives
};

// Removes the worktrees of programs that ended without doing so themselves.
void remove_stale_worktrees(const std::filesystem::path& root);

}  // namespace harness
