// Revisions, through the git command. Every call runs in `folder`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"

namespace harness {

// An error that says why git cannot be used in `folder`: no repository, no git, a repository that git
// does not trust (common in containers).
Status check_repository(const std::filesystem::path& folder);

// HEAD of the repository that holds `folder`, with branch, dirty flag and a hash of the changes. Dirty counts
// tracked files only, without the store's own folder, and is set when git cannot tell. An empty Revision
// outside a repository or before the first commit.
Revision head_revision(const std::filesystem::path& folder);

// A revision name (branch, tag, HEAD~2, short hash) -> 40 hex digits. An unknown name is an error
// with the nearest branch or tag. A branch that only `origin` has is found by its plain name. A name that is
// a tag, and also a branch at another commit, is an error.
Result<std::string> resolve_revision(const std::filesystem::path& folder, const std::string& name);
// The same in the current folder; an error begins with the option that has the name.
Result<std::string> commit_of_option(const char* option, const std::string& name);

// The merge base of two commits. A shallow clone that hides it is an error that says to fetch with
// full depth.
Result<std::string> merge_base(const std::filesystem::path& folder, const std::string& a,
                               const std::string& b);

// `commit` and its ancestors, nearest first (first-parent order first at equal distance), with their
// distance in commits, at most `limit`.
struct Ancestor {
  std::string commit;
  int distance = 0;
};
Result<std::vector<Ancestor>> ancestors(const std::filesystem::path& folder, const std::string& commit,
                                        int limit);

// `commit` and what it came from by first parents, newest first, at most `limit`: a branch as it grew,
// merges as single steps.
struct Commit {
  std::string hash;
  std::string date;  // of the commit, UTC: "2026-11-20T05:40:00Z"
  std::string author;
  std::string subject;
};
Result<std::vector<Commit>> first_parents(const std::filesystem::path& folder, const std::string& commit,
                                          int limit);

bool is_shallow(const std::filesystem::path& folder);

// A file's text at a revision; ErrorKind::missing when it is not there.
Result<std::string> file_at(const std::filesystem::path& folder, const std::string& commit,
                            const std::string& path);

// The files of a commit below `paths`, as `git ls-tree -r` lists them: mode, kind, hash and path, one a line.
// Paths are relative to `folder`, which is to be the repository's top folder.
Result<std::string> files_of_commit(const std::filesystem::path& folder, const std::string& commit,
                                    const std::vector<std::string>& paths);

// The tracked files that match, relative to the repository's top. None where git cannot tell.
std::vector<std::string> tracked_files(const std::filesystem::path& folder,
                                       const std::vector<std::string>& patterns);
// Tracked files in which a line has all words, as they are in the working tree.
std::vector<std::string> tracked_files_with(const std::filesystem::path& folder,
                                            const std::vector<std::string>& words,
                                            const std::vector<std::string>& patterns);
// The tracked files whose changes git is told not to see: assume-unchanged, or skip-worktree.
std::vector<std::string> unseen_files(const std::filesystem::path& folder);
// The files below `paths` that are neither tracked nor ignored, relative to the repository's top.
std::vector<std::string> untracked_files(const std::filesystem::path& folder,
                                         const std::vector<std::string>& paths);

// Whether anything below `paths` differs from HEAD, new files included; also when git cannot tell.
bool has_changes(const std::filesystem::path& folder, const std::vector<std::string>& paths);

// The nearest folder from the current one upwards that holds `.git`, as a path from here; nullopt without
// one. Asks no git, which refuses the repository of another user.
std::optional<std::filesystem::path> top_of_tree();

// Likewise, but from a linked worktree that of its main working tree, where the store of all of them is.
std::optional<std::filesystem::path> top_of_main_tree();

// The repository's top folder, or nullopt.
std::optional<std::filesystem::path> repository_root(const std::filesystem::path& folder);

// The URL of the remote `origin`, else the repository's top folder; "" without a repository.
std::string repository_name(const std::filesystem::path& folder);

}  // namespace harness
