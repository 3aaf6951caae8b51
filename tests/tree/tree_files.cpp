#include "tree_files.h"

#include <algorithm>
#include <filesystem>

#include "harness/base/files.h"

namespace harness::tree {
namespace {

namespace fs = std::filesystem;

const fs::path top = HARNESS_SOURCE_DIR;

bool is_left_out(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with(".") || name.starts_with("build") || name == "Testing" || name == "shared" ||
         name == "node_modules";
}

template <class Visit>
void walk(const fs::path& from, Visit visit) {
  if (!fs::is_directory(from)) return;
  for (auto at = fs::recursive_directory_iterator(from); at != fs::recursive_directory_iterator(); ++at) {
    if (at->is_directory() && is_left_out(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    visit(*at);
  }
}

std::string path_from_top(const fs::path& path) {
  return fs::relative(path, top).generic_string();
}

}  // namespace

std::vector<SourceFile> files_below(const std::vector<std::string>& folders,
                                    const std::vector<std::string_view>& extensions) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders)
    walk(top / folder, [&](const fs::directory_entry& entry) {
      const std::string extension = entry.path().extension().string();
      const bool wanted = std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
      if (!wanted || !entry.is_regular_file()) return;
      if (auto text = read_file(entry.path()))
        files.push_back({path_from_top(entry.path()), *std::move(text)});
    });
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::set<std::string> all_paths() {
  std::set<std::string> paths;
  walk(top, [&](const fs::directory_entry& entry) { paths.insert(path_from_top(entry.path())); });
  return paths;
}

std::vector<std::string> all_folders() {
  std::vector<std::string> folders;
  walk(top, [&](const fs::directory_entry& entry) {
    if (entry.is_directory()) folders.push_back(path_from_top(entry.path()));
  });
  return folders;
}

}  // namespace harness::tree
