#include "harness/device/host/control_groups.h"

#include <algorithm>
#include <string>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int most_levels = 32;

void add_with_all_above(const fs::path& mount, std::string_view group, std::vector<fs::path>& folders) {
  fs::path folder = mount / fs::path(group).relative_path();
  if (!folder.has_filename()) folder = folder.parent_path();
  for (int depth = 0; depth < most_levels; ++depth, folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == mount || !folder.has_relative_path()) break;
  }
}

}  // namespace

std::vector<fs::path> control_groups(const fs::path& root, std::string_view controller) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::vector<fs::path> folders;
  for (const std::string& line : split(system_file(root / "proc/self/cgroup"), '\n')) {
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::vector<std::string> controllers = split(parts[1], ',');
    if (parts[1].empty())
      add_with_all_above(mount, parts[2], folders);
    else if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end())
      add_with_all_above(mount / std::string(controller), parts[2], folders);
  }
  return folders;
}

}  // namespace harness
