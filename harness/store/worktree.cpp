#include "harness/store/worktree.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

Status git(const fs::path& folder, std::vector<std::string> arguments, const std::string& what) {
  Command command;
  command.argv = {"git"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.folder = folder;
  command.environment = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}};
  const Result<Output> output = run_command(command);
  if (!output) return fail(output.error());
  if (output->exit.ok()) return {};
  const std::vector<std::string> lines = split(trim(output->err), '\n');
  return fail(ErrorKind::environment, fmt::format("{}: {}", what, printable(lines.back())));
}

fs::path folder_of_worktrees(const fs::path& root) {
  return root / ".harness" / "worktrees";
}

fs::path lock_of(const fs::path& worktree) {
  return worktree.string() + ".lock";
}

// Results and worktrees are no source files: git is told to leave their folder alone.
Status make_folder(const fs::path& root) {
  std::error_code code;
  fs::create_directories(folder_of_worktrees(root), code);
  if (!fs::is_directory(folder_of_worktrees(root)))
    return fail(ErrorKind::environment, Location{folder_of_worktrees(root).string()},
                fmt::format("cannot be made: {}", code.message()), "check the permissions of the repository");
  const fs::path ignore = root / ".harness" / ".gitignore";
  return fs::exists(ignore, code) ? Status{} : write_file_atomically(ignore, "*\n");
}

Status update_submodules(const fs::path& worktree) {
  std::error_code code;
  if (!fs::exists(worktree / ".gitmodules", code)) return {};
  return git(worktree, {"submodule", "update", "--init", "--recursive", "--force"}, "submodules");
}

void remove(const fs::path& root, const fs::path& worktree) {
  std::error_code code;
  (void)git(root, {"worktree", "remove", "--force", "--force", worktree.string()}, "");
  fs::remove_all(worktree, code);
  (void)git(root, {"worktree", "prune"}, "");
}

}  // namespace

void remove_stale_worktrees(const fs::path& root) {
  std::error_code code;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_of_worktrees(root), code))
    if (entry.is_directory(code)) found.push_back(entry.path());
  for (const fs::path& worktree : found) {
    const Result<FileLock> lock = FileLock::take(lock_of(worktree));
    if (lock) remove(root, worktree);  // its program has ended
  }
}

Result<Worktree> Worktree::add(const fs::path& folder, const std::string& purpose,
                               const std::string& commit) {
  if (const Status repository = check_repository(folder); !repository) return fail(repository.error());
  const std::optional<fs::path> root = repository_root(folder);
  if (!root) return fail(ErrorKind::usage, "this repository has no working tree", "run inside a checkout");
  if (const Status made = make_folder(*root); !made) return fail(made.error());
  remove_stale_worktrees(*root);
  const fs::path path =
      folder_of_worktrees(*root) / fmt::format("{}-{}", purpose, random_uuid().substr(0, 8));
  Result<FileLock> lock = FileLock::take(lock_of(path));
  if (!lock) return fail(lock.error());
  Worktree worktree(*root, path, std::move(*lock));
  const Status added = git(*root, {"worktree", "add", "--detach", "--force", path.string(), commit},
                           fmt::format("a worktree of {}", commit.substr(0, 10)));
  if (!added) return fail(added.error());
  if (const Status ready = update_submodules(path); !ready) return fail(ready.error());
  return worktree;
}

Worktree::Worktree(Worktree&& other) noexcept
    : root_(std::move(other.root_)),
      path_(std::exchange(other.path_, fs::path())),
      lock_(std::move(other.lock_)) {}

Worktree::~Worktree() {
  if (!path_.empty()) remove(root_, path_);
}

Status Worktree::check_out(const std::string& commit) {
  const std::string what = fmt::format("checking out {}", commit.substr(0, 10));
  if (const Status done = git(path_, {"checkout", "--quiet", "--force", "--detach", commit}, what); !done)
    return done;
  return update_submodules(path_);
}

}  // namespace harness
