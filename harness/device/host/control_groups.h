// The control groups of this process, as folders of /sys/fs/cgroup. Any thread may ask.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace harness {

// The folders of the group that has `controller`, and of all groups above it, in versions 1 and 2. They need
// not exist: in a container the upper ones are not visible.
std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root,
                                                  std::string_view controller);

}  // namespace harness
