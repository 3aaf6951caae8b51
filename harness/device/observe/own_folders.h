// Where the repository of an observed program is, and what in it is not the program's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace harness {

// The top of the repository that holds a folder: the nearest with a `.git` in it; else the folder itself.
std::filesystem::path repository_of(const std::filesystem::path& folder);

// The folders in which git and the harness keep things of this repository: its own `.git` and `.harness`, and
// for a worktree the folders of git that its file `.git` names. Without links. No folder that holds the
// repository is among them.
std::vector<std::string> own_folders(const std::filesystem::path& root);

}  // namespace harness
