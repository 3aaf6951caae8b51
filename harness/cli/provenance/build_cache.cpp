#include "harness/cli/provenance/build_cache.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/text.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr const char* build_folder = "build/release";

// Beside the folder of the worktrees, so on one file system with them: files are linked, not copied.
fs::path folder_of_builds(const Worktree& worktree) {
  return worktree.path().parent_path().parent_path() / "builds";
}

fs::path kept_at(const Worktree& worktree, const std::string& commit, const std::string& command) {
  return folder_of_builds(worktree) / (commit.substr(0, 12) + "-" + content_hash(command).substr(0, 8));
}

// The program and lib/, by hard links.
bool link_build(const fs::path& from, const fs::path& to) {
  std::error_code code;
  if (!fs::exists(from / "bin" / "harness", code)) return false;
  fs::create_directories(to / "bin", code);
  constexpr auto links = fs::copy_options::recursive | fs::copy_options::create_hard_links;
  fs::create_hard_link(fs::canonical(from / "bin" / "harness", code), to / "bin" / "harness", code);
  if (!code && fs::exists(from / "lib", code)) fs::copy(from / "lib", to / "lib", links, code);
  return !code;
}

void remove_oldest(const fs::path& folder) {
  std::error_code code;
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code))
    kept.emplace_back(entry.last_write_time(code), entry.path());
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i + most_kept_builds < kept.size(); ++i) fs::remove_all(kept[i].second, code);
}

}  // namespace

bool restore_build(const Worktree& worktree, const std::string& commit, const std::string& command) {
  const fs::path kept = kept_at(worktree, commit, command), to = worktree.path() / build_folder;
  if (link_build(kept, to)) return true;
  std::error_code code;
  fs::remove_all(to, code);
  return false;
}

void keep_build(const Worktree& worktree, const std::string& commit, const std::string& command) {
  const fs::path kept = kept_at(worktree, commit, command);
  // Has a temporary name until it is complete, because another run may look for it.
  const fs::path partial = kept.string() + "." + random_uuid().substr(0, 8);
  std::error_code code;
  if (link_build(worktree.path() / build_folder, partial)) fs::rename(partial, kept, code);
  fs::remove_all(partial, code);
  remove_oldest(folder_of_builds(worktree));
}

}  // namespace harness
